/** What a thread is started with. */
export interface Start {
  readonly modulePath: string;
  /** The module as an earlier thread compiled it: a successor starts with code that is optimised already. */
  readonly module?: WebAssembly.Module;
}

/** To the thread; answered before the next one comes. */
export interface Call {
  readonly id: number;
  /** Each as encodeQuestion writes it. */
  readonly questions: readonly string[];
}

/** From the thread: once `ready`, and again each time that it has replaced its instance. */
export type Message = Ready | Answer;

export interface Ready {
  readonly kind: 'ready';
  readonly module?: WebAssembly.Module;
}

export interface Answer {
  readonly kind: 'answer';
  readonly id: number;
  /** JSON of a PodVerdict for each question; absent where the instance broke. */
  readonly verdicts?: readonly string[];
  /** Of linear memory. */
  readonly memoryBytes: number;
  /** The instance is replaced: wait for the next `ready`. */
  readonly renewing: boolean;
}
