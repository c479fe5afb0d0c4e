/**
 * Works on several of a source at a time and yields the results in the source's order. The first failure ends it, when
 * its turn comes.
 */
export async function* inOrder<T, R>(
  source: AsyncIterable<T> | Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const pending: Promise<R>[] = [];
  for await (const item of source) {
    const result = work(item);
    // Told when its turn comes; until then nobody waits for it.
    result.catch(() => undefined);
    pending.push(result);
    if (pending.length < atOnce) continue;
    yield await (pending.shift() as Promise<R>);
  }
  for (const result of pending) yield await result;
}
