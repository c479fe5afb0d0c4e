import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { PodcheckInstance } from './instance.ts';
import type { Call, Message, Start } from './protocol.ts';
import { encodeQuestion } from './question.ts';
import { WARM_UP_POD } from './warm-up-pod.ts';

/** Beyond this a new instance takes the place of the old one, whose memory never shrinks. */
const LARGEST_MEMORY_BYTES = 96 * 1024 * 1024;

const port = parentPort;
if (port === null) throw new Error('podcheck runs in a worker thread');
const start = workerData as Start;

function post(message: Message): void {
  port?.postMessage(message);
}

async function compile(): Promise<WebAssembly.Module> {
  // Each compiling thread takes memory that is never given back: 75 MB for two.
  setFlagsFromString('--wasm-num-compilation-tasks=1');
  const packed = readFileSync(start.modulePath);
  // In one piece: the size stands at the end of the file.
  const bytes = gunzipSync(packed, { chunkSize: packed.readUInt32LE(packed.length - 4) + 1 });
  const compiled = await WebAssembly.compile(bytes);
  // The engine has a copy of its own; the collector would leave these 30 MB lie for long.
  bytes.buffer.transfer(0);
  return compiled;
}

const module = start.module ?? (await compile());
let instance: PodcheckInstance | undefined = await started();

port.on('message', (call: Call) => {
  void answer(call);
});
post({ kind: 'ready', ...(start.module === undefined && { module }) });

async function answer({ id, questions }: Call): Promise<void> {
  const verdicts = instance && verdictsOf(instance, questions);
  const memoryBytes = instance?.memoryBytes ?? 0;
  const renewing = verdicts === undefined || memoryBytes > LARGEST_MEMORY_BYTES;
  post({ kind: 'answer', id, memoryBytes, renewing, ...(verdicts && { verdicts }) });
  if (!renewing) return;
  // Two at a time would be twice the memory.
  instance = undefined;
  instance = await started();
  post({ kind: 'ready' });
}

/** The first verdict compiles most of the code, and takes many times as long as others: nobody's second is for that. */
async function started(): Promise<PodcheckInstance> {
  const fresh = await PodcheckInstance.start(module);
  fresh.check(encodeQuestion({ pod: WARM_UP_POD, level: 'restricted' }));
  return fresh;
}

/** Undefined where the program inside ended: out of memory, for one. Nothing can be asked of it again. */
function verdictsOf(judge: PodcheckInstance, questions: readonly string[]): readonly string[] | undefined {
  try {
    return questions.map((question) => judge.check(question));
  } catch {
    return undefined;
  }
}
