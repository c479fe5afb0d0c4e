import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { packagePath } from '../../src/platform/package-root.ts';
import type { Call, Message, Start } from './protocol.ts';

/** Its heap holds one call and its answer; the memory of the module is not counted there. */
const LARGEST_HEAP_MB = 64;

export interface ThreadEvents {
  readonly onMessage: (message: Message) => void;
  /** It ended without being told to. */
  readonly onEnd: (reason: string) => void;
}

/** One thread with one instance of podcheck. */
export class PodcheckThread {
  private readonly worker: Worker;
  private events: ThreadEvents | undefined;

  /** @param program another one than podcheck, which speaks the same protocol */
  constructor(module: WebAssembly.Module | undefined, events: ThreadEvents, program = ownProgram()) {
    this.events = events;
    const modulePath = packagePath('webhooks', 'podcheck', 'podcheck.wasm.gz');
    const start: Start = { modulePath, ...(module && { module }) };
    this.worker = new Worker(program, {
      workerData: start,
      env: {},
      // Node calls its WASI experimental, on each start and on everybody's terminal.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: LARGEST_HEAP_MB },
    });
    this.worker.unref();
    this.worker.on('message', (message: Message) => this.events?.onMessage(message));
    this.worker.on('error', (error: Error) => {
      this.ended(error.message);
    });
    this.worker.on('exit', (code) => {
      this.ended(`exit code ${code}`);
    });
  }

  /** Until the next message from it the process does not end. */
  post(call: Call): void {
    this.worker.ref();
    this.worker.postMessage(call);
  }

  /** The process may end meanwhile. */
  rest(): void {
    this.worker.unref();
  }

  /** At once, whatever it does; nothing more is heard of it. */
  async end(): Promise<void> {
    this.events = undefined;
    await this.worker.terminate();
  }

  private ended(reason: string): void {
    const { events } = this;
    this.events = undefined;
    events?.onEnd(reason);
  }
}

function ownProgram(): URL {
  return new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);
}
