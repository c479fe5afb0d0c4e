import { parentPort } from 'node:worker_threads';
import type { Call, Message } from '../../../../webhooks/podcheck/protocol.ts';

/** Speaks podcheck's protocol: a pod says in its text what is to happen; every other one gets a verdict with its text. */
function post(message: Message): void {
  parentPort?.postMessage(message);
}

parentPort?.on('message', ({ id, questions }: Call) => {
  const text = questions.join();
  if (text.includes('HANG')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (text.includes('EXIT')) process.exit(3);
  if (text.includes('BREAK')) {
    post({ kind: 'answer', id, memoryBytes: 1, renewing: true });
    post({ kind: 'ready' });
    return;
  }
  const verdicts = questions.map((question) => JSON.stringify({ decode: question }));
  post({ kind: 'answer', id, verdicts, memoryBytes: 1, renewing: text.includes('GROW') });
  if (text.includes('GROW')) post({ kind: 'ready' });
});
post({ kind: 'ready' });
