import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';

const TIMEOUT_MS = 5_000;

export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
}

interface ApiCall {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

/**
 * The few HTTPS requests that the start of a control plane needs, before anything else can be asked.
 * One connection a request: there are a few dozen of them.
 */
export class ApiConnection {
  readonly #caPem: string;
  readonly #token: string;

  constructor(caPem: string, token: string) {
    this.#caPem = caPem;
    this.#token = token;
  }

  /** @throws the socket's error, or an AbortError, when no answer came. Any HTTP status is an answer. */
  async call(port: number, path: string, call: ApiCall): Promise<ApiAnswer> {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path,
      method: call.method ?? 'GET',
      ca: this.#caPem,
      agent: false,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      signal: AbortSignal.any([call.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    outgoing.end(call.body === undefined ? undefined : JSON.stringify(call.body));
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await text(response) };
  }
}
