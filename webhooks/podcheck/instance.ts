import { openSync } from 'node:fs';
import { devNull } from 'node:os';
import { WASI } from 'node:wasi';

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly allocate: (size: number) => number;
  readonly check: () => bigint;
}

/** Kubernetes' libraries log what they find odd in a pod, with its values: nothing of an object may stand in a log. */
const nowhere = openSync(devNull, 'w');

/** Kubernetes' validation in a memory of its own: no file, no environment, nothing of the process. */
export class PodcheckInstance {
  private readonly exports: Exports;

  private constructor(exports: Exports) {
    this.exports = exports;
  }

  static async start(module: WebAssembly.Module): Promise<PodcheckInstance> {
    // A library inside reads argv[0].
    const wasi = new WASI({
      version: 'preview1',
      args: ['podcheck'],
      env: {},
      preopens: {},
      stdout: nowhere,
      stderr: nowhere,
    });
    const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
    wasi.initialize(instance);
    return new PodcheckInstance(instance.exports as Exports);
  }

  /** Bytes of linear memory, which only ever grow. */
  get memoryBytes(): number {
    return this.exports.memory.buffer.byteLength;
  }

  /**
   * @param question as encodeQuestion writes it
   * @returns JSON of a PodVerdict
   */
  check(question: string): string {
    const { allocate, check } = this.exports;
    const bytes = Buffer.from(question, 'utf8');
    const at = allocate(bytes.length) >>> 0;
    this.view(at, bytes.length).set(bytes);
    const result = BigInt.asUintN(64, check());
    return this.view(Number(result >> 32n), Number(result & 0xffff_ffffn)).toString('utf8');
  }

  /** Made anew for each access: a memory that grew has another buffer. */
  private view(address: number, length: number): Buffer {
    return Buffer.from(this.exports.memory.buffer, address, length);
  }
}
