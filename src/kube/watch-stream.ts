import type { KubeObject, Status } from '../api/kubernetes.ts';

/** A change, or how far the watch has come. ERROR events are thrown as ApiErrors. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject };

/** What stands on one line of a watch. */
export type WatchLine<T extends KubeObject> =
  WatchEvent<T> | { readonly type: 'ERROR'; readonly object: Status };

/** Ten times what etcd stores in one object: a longer line is no event. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** The stream is not what a watch sends, or stopped inside an event. */
export class WatchStreamError extends Error {
  override readonly name = 'WatchStreamError';
}

/** The JSON values of a watch, one a line. Throws a WatchStreamError; what came before it was delivered. */
export async function* watchLines<T extends KubeObject>(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<WatchLine<T>, void, undefined> {
  for await (const line of lines(chunks)) {
    if (line.trim() !== '') yield parse<T>(line);
  }
}

function parse<T extends KubeObject>(line: string): WatchLine<T> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // The cause would quote the line, which may hold a Secret.
    throw new WatchStreamError('the watch sent a line that is not JSON');
  }
  const event = value as Partial<WatchLine<T>> | null;
  if (typeof event?.type !== 'string' || typeof event.object !== 'object') {
    throw new WatchStreamError('the watch sent a line that is not an event');
  }
  return event as WatchLine<T>;
}

async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let unfinished: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const parts = decoder.decode(chunk, { stream: true }).split('\n');
    const rest = parts.pop() ?? '';
    for (const part of parts) {
      yield unfinished.length === 0 ? part : unfinished.join('') + part;
      unfinished = [];
      length = 0;
    }
    if (rest !== '') unfinished.push(rest);
    length += rest.length;
    if (length > LONGEST_LINE)
      throw new WatchStreamError(`the watch sent a line over ${LONGEST_LINE} characters`);
  }
  if (length > 0) throw new WatchStreamError('the watch stopped inside an event');
}
