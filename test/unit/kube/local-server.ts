import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { KubeClient } from '../../../src/kube/client.ts';
import type { KubeClientOptions } from '../../../src/kube/client.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface LocalServer {
  readonly url: string;
  /** In the order of arrival. */
  readonly requests: readonly SeenRequest[];
  /** How many TCP connections were ever accepted. */
  readonly connections: () => number;
  close(): Promise<void>;
}

/** An HTTP server on loopback that answers as the test says; it ends with the test. */
export async function localServer(
  answer: (request: SeenRequest, response: ServerResponse) => void,
): Promise<LocalServer> {
  const requests: SeenRequest[] = [];
  let connections = 0;
  const server = createServer((incoming, response) => {
    void bodyOf(incoming).then((body) => {
      const url = new URL(incoming.url ?? '', 'http://localhost');
      const { method = '', headers } = incoming;
      const request = {
        method,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers,
        body,
      };
      requests.push(request);
      answer(request, response);
    });
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, connections: () => connections, close };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return text;
}

/** A client of that server that waits without jitter; it ends with the test. */
export function clientOf(url: string, options: Partial<KubeClientOptions> = {}): KubeClient {
  const access = { server: url, credentials: () => Promise.resolve({ token: 'TOKEN' }) };
  const client = new KubeClient({ access, version: '1.2.3', random: () => 0, ...options });
  onTestFinished(() => client.close());
  return client;
}

export function json(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function refuse(response: ServerResponse, code: number, reason: string, message = reason): void {
  json(response, code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message });
}

/** Everything that the iterable gives until it ends. */
export async function all<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of iterable) items.push(item);
  return items;
}
