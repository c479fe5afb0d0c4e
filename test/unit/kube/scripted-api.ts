import type { KubeObject, Resource } from '../../../src/api/kubernetes.ts';
import type { ListPage, ListQuery, WatchQuery } from '../../../src/kube/client.ts';
import type { ListerWatcher } from '../../../src/kube/reflector.ts';
import type { WatchEvent } from '../../../src/kube/watch-stream.ts';

/** One watch that the reflector opened: the test decides what comes. */
export class ScriptedWatch {
  readonly query: WatchQuery;
  readonly #pending: (() => WatchEvent | undefined)[] = [];
  #wake = (): void => undefined;

  constructor(query: WatchQuery) {
    this.query = query;
  }

  send(type: WatchEvent['type'], object: KubeObject): void {
    this.#push(() => ({ type, object }));
  }

  end(): void {
    this.#push(() => undefined);
  }

  fail(error: Error): void {
    this.#push(() => {
      throw error;
    });
  }

  async *events(signal: AbortSignal): AsyncGenerator<WatchEvent, void, undefined> {
    for (;;) {
      signal.throwIfAborted();
      const next = this.#pending.shift();
      if (next === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          signal.addEventListener(
            'abort',
            () => {
              resolve();
            },
            { once: true },
          );
        });
        continue;
      }
      const event = next();
      if (event === undefined) return;
      yield event;
    }
  }

  #push(next: () => WatchEvent | undefined): void {
    this.#pending.push(next);
    this.#wake();
  }
}

/** An API server of one resource whose every answer is the test's. Unscripted lists give nothing at version 1. */
export class ScriptedApi implements ListerWatcher {
  readonly lists: ListQuery[] = [];
  readonly watches: ScriptedWatch[] = [];
  readonly answers: (ListPage<KubeObject> | Error)[] = [];
  /** Thrown by the next watches before they open. */
  readonly refusals: Error[] = [];

  get lastWatch(): ScriptedWatch {
    const watch = this.watches.at(-1);
    if (watch === undefined) throw new Error('no watch was opened');
    return watch;
  }

  list<T extends KubeObject>(_: Resource, query: ListQuery): Promise<ListPage<T>> {
    this.lists.push(query);
    const answer = this.answers.shift() ?? { items: [], resourceVersion: '1', continue: undefined };
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as ListPage<T>);
  }

  watch<T extends KubeObject>(
    _: Resource,
    query: WatchQuery,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>> {
    const watch = new ScriptedWatch(query);
    this.watches.push(watch);
    const refusal = this.refusals.shift();
    if (refusal !== undefined) watch.fail(refusal);
    return watch.events(signal) as AsyncIterable<WatchEvent<T>>;
  }
}
