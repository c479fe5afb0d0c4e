import { setFlagsFromString } from 'node:v8';
import { Agent } from 'node:https';
import { createConnection, type Socket } from 'node:net';
import { runInNewContext } from 'node:vm';
import fc, { type Arbitrary } from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Judgement } from '../../webhooks/judgement.ts';
import { Podcheck } from '../../webhooks/podcheck/podcheck.ts';
import { admissionHandlers } from '../../webhooks/routes.ts';
import { anAdmissionContext } from '../support/admission-context.ts';
import { withDaskContainer } from '../support/builders.ts';
import { aReviewBody } from '../unit/webhooks/reviews.ts';
import { runningServer, type RunningServer } from '../unit/webhooks/running-server.ts';
import { expectAnswer } from './answers.ts';
import { fuzz, FUZZ_SECONDS } from './fuzz.ts';
import { hostileBody } from './hostile-review.ts';

/** What the API server waits for, as it says in the URL: its default. */
const QUERY = '?timeout=5s';
const WAIT_MS = 5_000;
const NEIGHBOUR_EVERY_MS = 100;
/** Of a request, from its first byte to its last; a slow client is cut off then. */
const REQUEST_TIMEOUT_MS = 2_000;
const SLOW_CLIENTS = 20;
const BODY_LIMIT_BYTES = 7 * 1024 * 1024;
const MOST_GROWTH_BYTES = 96 * 1024 * 1024;

/** What podcheck did under attack. */
interface Checked {
  verdicts: number;
  slowestMs: number;
  largestBytes: number;
  refused: number;
}

let podcheck: Podcheck;
const checked: Checked = { verdicts: 0, slowestMs: 0, largestBytes: 0, refused: 0 };

beforeAll(async () => {
  podcheck = new Podcheck({
    observe: (event) => {
      if (event.kind === 'no-verdict') checked.refused += 1;
      if (event.kind !== 'verdict') return;
      checked.verdicts += 1;
      checked.slowestMs = Math.max(checked.slowestMs, event.seconds * 1_000);
      checked.largestBytes = Math.max(checked.largestBytes, event.memoryBytes);
    },
  });
  await podcheck.warmUp();
}, 60_000);
afterAll(() => podcheck.close());

/** A good create of another tenant, each with something of its own: nothing that is remembered answers it. */
function neighbourly(count: number): string {
  const object = withDaskContainer('worker', { image: `registry.example.org/dask:${count}` });
  const namespace = 'neighbour';
  return JSON.stringify(
    aReviewBody({ namespace, object: { ...object, metadata: { ...object.metadata, namespace } } }),
  );
}

interface Neighbour {
  readonly slowestMs: number;
  readonly answered: number;
}

/** Asks beside the attack until told to stop; fails at the first answer that is late or not a plain allow. */
async function beNeighbour({ post }: RunningServer, signal: AbortSignal): Promise<Neighbour> {
  const agent = new Agent({ keepAlive: true });
  let slowestMs = 0;
  let answered = 0;
  try {
    while (!signal.aborted) {
      const startedAt = performance.now();
      const { code, body } = await post(neighbourly(answered), {
        path: `/validate/daskclusters${QUERY}`,
        agent,
      });
      const tookMs = performance.now() - startedAt;
      slowestMs = Math.max(slowestMs, tookMs);
      expect({ code, body }).toMatchObject({ code: 200, body: { response: { allowed: true } } });
      expect(body).not.toHaveProperty('response.warnings');
      expect(tookMs).toBeLessThan(WAIT_MS - 500);
      answered += 1;
      await new Promise((resolve) => setTimeout(resolve, NEIGHBOUR_EVERY_MS));
    }
  } finally {
    agent.destroy();
  }
  return { slowestMs, answered };
}

/** Connections that send nothing, that send a part and stop, and that send byte by byte, over and over. */
class SlowClients {
  cutOff = 0;
  private readonly open = new Set<Socket>();
  private readonly server: RunningServer;
  private readonly timer: NodeJS.Timeout;
  private step = 0;

  constructor(server: RunningServer) {
    this.server = server;
    this.timer = setInterval(() => {
      this.step += 1;
      for (const socket of this.open) if (socket.writable) socket.write('x');
      if (this.open.size < SLOW_CLIENTS) this.connect(this.step).catch(() => undefined);
    }, 20);
  }

  private async connect(number: number): Promise<void> {
    const { server } = this;
    const isBare = number % 4 === 0;
    const socket = isBare ? createConnection(server.port, '127.0.0.1') : await server.dial();
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.cutOff += 1;
      this.open.delete(socket);
    });
    socket.resume();
    if (isBare) return;
    const head = 'POST /validate/daskclusters HTTP/1.1\r\nHost: x\r\n';
    const withBody = `${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`;
    if (number % 4 === 1) socket.write(head.slice(0, 20));
    else socket.write(number % 4 === 2 ? head : withBody);
    // What is half open writes nothing more.
    if (number % 3 !== 0) this.open.add(socket);
  }

  stop(): void {
    clearInterval(this.timer);
    for (const socket of this.open) socket.destroy();
  }
}

/** Of what the program holds, once everything else is collected. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it('whatever is sent, the answer is a review or a refusal in time, and nobody else’s requests fail', async () => {
  const { judge } = new Judgement({ podcheck });
  const handlers = admissionHandlers(anAdmissionContext({ judge }));
  const server = await runningServer(handlers, { requestTimeoutMs: REQUEST_TIMEOUT_MS });
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const batches: Arbitrary<readonly (readonly [string, string | Uint8Array])[]> = fc.array(
    fc.tuple(fc.constantFrom(...Object.keys(handlers)), hostileBody),
    { minLength: 1, maxLength: 6 },
  );
  const send = async ([path, sent]: readonly [string, string | Uint8Array]): Promise<void> => {
    const startedAt = performance.now();
    const answer = await server.post(sent, { path: path + QUERY, agent }).catch((error: unknown) => {
      // Cut off while it still sends, and the answer may be lost with it.
      if (sent.length <= BODY_LIMIT_BYTES) throw error;
    });
    if (answer === undefined) return;
    const { code, body } = answer;
    expect(performance.now() - startedAt).toBeLessThan(WAIT_MS);
    expectAnswer(path, code, body);
  };
  await Promise.all(fc.sample(batches, { numRuns: 20, seed: 1 }).flat().map(send));
  const before = heldBytes();
  const stop = new AbortController();
  const slow = new SlowClients(server);
  const neighbour = beNeighbour(server, stop.signal);
  try {
    const property = fc.asyncProperty(batches, async (batch) => {
      await Promise.all(batch.map(send));
      expect(server.lines.filter(({ level }) => level === 'error')).toEqual([]);
      expect(Object.keys(Object.prototype)).toEqual([]);
      (server.lines as unknown[]).length = 0;
    });
    await Promise.race([fuzz('endpoint', property), neighbour]);
  } finally {
    stop.abort();
    slow.stop();
    agent.destroy();
  }
  const { slowestMs, answered } = await neighbour;
  console.log(
    `neighbour: ${answered} answers, the slowest in ${slowestMs.toFixed(0)} ms; ${slow.cutOff} slow clients cut off`,
  );
  expect(answered).toBeGreaterThan(FUZZ_SECONDS / 2);
  expect(slow.cutOff).toBeGreaterThan(0);
  const grown = heldBytes() - before;
  console.log(`memory: ${(grown / 2 ** 20).toFixed(0)} MiB more; podcheck: ${JSON.stringify(checked)}`);
  expect(grown).toBeLessThan(MOST_GROWTH_BYTES);
});
