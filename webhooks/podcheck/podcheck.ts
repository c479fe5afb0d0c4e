import type { PodVerdict } from '../../src/core/pod-verdict/verdict.ts';
import { FairQueue, type QueueBounds } from './fair-queue.ts';
import { NoVerdict, type NoVerdictCause } from './no-verdict.ts';
import type { Answer, Message } from './protocol.ts';
import { encodeQuestion, type PodQuestion } from './question.ts';
import { PodcheckThread } from './thread.ts';
import { WARM_UP_POD } from './warm-up-pod.ts';

/** What happens, for metrics. `replaced` is a thread or an instance that gave way to a new one. */
export type PodcheckEvent =
  | { readonly kind: 'verdict'; readonly seconds: number; readonly memoryBytes: number }
  | { readonly kind: 'no-verdict'; readonly cause: NoVerdictCause }
  | { readonly kind: 'replaced'; readonly cause: 'too-slow' | 'memory' | 'broken' };

export interface PodcheckOptions {
  /** After which a call is given up and the thread replaced. Default 1 s. */
  readonly timeoutMs?: number;
  /** After which a call is given up whose turn has not come. Default 3 s: the API server waits for 5. */
  readonly longestWaitMs?: number;
  readonly bounds?: QueueBounds;
  readonly observe?: (event: PodcheckEvent) => void;
  /** Run in the thread in place of podcheck. */
  readonly program?: URL;
}

interface Waiting {
  readonly id: number;
  readonly tenant: string;
  readonly questions: readonly string[];
  readonly resolve: (verdicts: readonly PodVerdict[]) => void;
  readonly reject: (error: NoVerdict) => void;
  timer?: NodeJS.Timeout;
  startedAt?: number;
}

const TIMEOUT_MS = 1_000;
const LONGEST_WAIT_MS = 3_000;
/** A thread that takes longer than this to compile the module has no processor at all. */
const START_TIMEOUT_MS = 30_000;
const FIRST_RESTART_MS = 250;
const LONGEST_RESTART_MS = 30_000;
const BOUNDS: QueueBounds = { tenant: 32, total: 256 };
/** The first calls run code that the engine has not optimised yet. */
const WARM_AFTER_VERDICTS = 200;

/**
 * Kubernetes' own validation of pods, in a thread of its own: a hostile template costs that thread, never the event
 * loop that answers everybody else. Calls are answered one after the other, in turns between tenants; the clock of each
 * begins when its turn comes. The threads do not keep the process alive but while a call is under way.
 */
export class Podcheck {
  private readonly timeoutMs: number;
  private readonly longestWaitMs: number;
  private readonly observe: (event: PodcheckEvent) => void;
  private readonly program: URL | undefined;
  private readonly queue: FairQueue<Waiting>;
  private thread: PodcheckThread | undefined;
  private module: WebAssembly.Module | undefined;
  private isReady = false;
  private current: Waiting | undefined;
  /** Of the call under way, or of the thread that starts. */
  private watchdog: NodeJS.Timeout | undefined;
  private failedStarts = 0;
  private nextId = 1;
  private verdicts = 0;
  private isClosed = false;

  constructor(options: PodcheckOptions = {}) {
    this.timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.longestWaitMs = options.longestWaitMs ?? LONGEST_WAIT_MS;
    this.observe = options.observe ?? (() => undefined);
    this.program = options.program;
    this.queue = new FairQueue(options.bounds ?? BOUNDS);
    this.start();
  }

  /** Whether so many verdicts were given that the next one takes as long as any later one. */
  get isWarm(): boolean {
    return this.verdicts >= WARM_AFTER_VERDICTS;
  }

  /**
   * @param tenant whose turn it takes
   * @returns a verdict for each question
   * @throws NoVerdict
   */
  check(questions: readonly PodQuestion[], tenant: string): Promise<readonly PodVerdict[]> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) {
        reject(new NoVerdict('broken', 'podcheck is closed'));
        return;
      }
      const waiting: Waiting = {
        id: this.nextId++,
        tenant,
        questions: questions.map(encodeQuestion),
        resolve,
        reject,
      };
      const refused = this.queue.push(tenant, waiting);
      if (refused !== undefined) this.refuse(refused, 'busy', 'too many calls are waiting');
      if (refused !== waiting) this.limitWait(waiting);
      this.next();
    });
  }

  /**
   * Asks until {@link isWarm}, one at a time, so that others are served meanwhile. On a busy machine a call may be given
   * up: then it asks again.
   * @throws NoVerdict when it is closed meanwhile
   */
  async warmUp(signal?: AbortSignal): Promise<void> {
    while (!this.isWarm) {
      signal?.throwIfAborted();
      try {
        await this.check([{ pod: WARM_UP_POD, level: 'restricted' }], '');
      } catch (error) {
        if (this.isClosed || !(error instanceof NoVerdict)) throw error;
      }
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.watchdog);
    const waiting = [...(this.current ? [this.current] : []), ...this.queue.clear()];
    this.current = undefined;
    for (const call of waiting) this.refuse(call, 'broken', 'podcheck is closed');
    await this.thread?.end();
  }

  private start(): void {
    this.isReady = false;
    const events = {
      onMessage: (message: Message) => {
        this.receive(message);
      },
      onEnd: (reason: string) => {
        this.replace('broken', `podcheck's thread ended: ${reason}`);
      },
    };
    this.thread = new PodcheckThread(this.module, events, this.program);
    this.watch(START_TIMEOUT_MS, () => {
      this.replace('broken', 'podcheck did not start in time');
    });
  }

  private receive(message: Message): void {
    clearTimeout(this.watchdog);
    if (message.kind === 'ready') {
      this.isReady = true;
      this.failedStarts = 0;
      this.module = message.module ?? this.module;
    } else this.answered(message);
    this.next();
  }

  private answered({ id, verdicts, memoryBytes, renewing }: Answer): void {
    const call = this.current;
    this.current = undefined;
    if (renewing) {
      this.isReady = false;
      this.observe({ kind: 'replaced', cause: verdicts === undefined ? 'broken' : 'memory' });
      this.watch(START_TIMEOUT_MS, () => {
        this.replace('broken', 'podcheck did not start in time');
      });
    }
    if (call?.id !== id) return;
    if (verdicts === undefined) {
      this.refuse(call, 'broken', 'Kubernetes’ validation failed on these pod templates');
      return;
    }
    this.verdicts += verdicts.length;
    const seconds = (performance.now() - (call.startedAt ?? 0)) / 1000;
    this.observe({ kind: 'verdict', seconds, memoryBytes });
    call.resolve(verdicts.map((verdict) => JSON.parse(verdict) as PodVerdict));
  }

  private next(): void {
    if (!this.isReady || this.current !== undefined) return;
    const call = this.queue.take(performance.now());
    if (call === undefined) {
      this.thread?.rest();
      return;
    }
    clearTimeout(call.timer);
    call.startedAt = performance.now();
    this.current = call;
    this.watch(this.timeoutMs, () => {
      // An answer may lie there already where the event loop was held up.
      setImmediate(() => {
        if (this.current === call) this.giveUp(call);
      });
    });
    this.thread?.post({ id: call.id, questions: call.questions });
  }

  private giveUp({ tenant }: Waiting): void {
    this.queue.markSlow(tenant, performance.now());
    this.replace('too-slow', `no verdict within ${this.timeoutMs} ms: the pod templates are too complex`);
  }

  private limitWait(call: Waiting): void {
    call.timer = setTimeout(() => {
      this.queue.remove(call.tenant, call);
      this.refuse(call, 'busy', `no turn within ${this.longestWaitMs} ms: too many calls are waiting`);
    }, this.longestWaitMs);
  }

  private refuse(call: Waiting, cause: NoVerdictCause, message: string): void {
    clearTimeout(call.timer);
    this.observe({ kind: 'no-verdict', cause });
    call.reject(new NoVerdict(cause, message));
  }

  private watch(timeoutMs: number, expired: () => void): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(expired, timeoutMs);
    this.watchdog.unref();
  }

  /** Ends the thread, whatever it does. The calls that wait go to a new one; where that never starts, their time ends. */
  private replace(cause: 'too-slow' | 'broken', message: string): void {
    const hadStarted = this.isReady;
    this.isReady = false;
    void this.thread?.end();
    const call = this.current;
    this.current = undefined;
    if (call !== undefined) this.refuse(call, cause, message);
    if (this.isClosed) return;
    this.observe({ kind: 'replaced', cause });
    if (hadStarted) {
      this.start();
      return;
    }
    const delayMs = Math.min(FIRST_RESTART_MS * 2 ** this.failedStarts, LONGEST_RESTART_MS);
    this.failedStarts += 1;
    this.watch(delayMs, () => {
      this.start();
    });
  }
}
