import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { createAuthority, issueLeaf } from '../../../src/pki/authority.ts';
import {
  type AdmissionHandler,
  AdmissionServer,
  type AdmissionServerOptions,
} from '../../../webhooks/server.ts';
import { recordedLog } from '../kube/recorded-log.ts';

export const DNS_NAME = 'hook.dask.svc';

export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Parsed. */
  readonly body: unknown;
}

export interface Post {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

export interface RunningServer {
  readonly server: AdmissionServer;
  readonly port: number;
  readonly ca: string;
  readonly lines: readonly Record<string, unknown>[];
  /** One connection that is kept alive. */
  readonly agent: Agent;
  readonly post: (body: string | Uint8Array, options?: Post) => Promise<Answer>;
  /** A bare TLS connection, for what no HTTP client would send. */
  readonly dial: () => Promise<TLSSocket>;
}

export const AUTHORITY = await createAuthority({ nowMs: Date.now(), randomBytes });

/** A server on loopback with a leaf of {@link AUTHORITY}; it ends with the test. */
export async function runningServer(
  handlers: Readonly<Record<string, AdmissionHandler>>,
  options: Pick<AdmissionServerOptions, 'requestTimeoutMs' | 'closeGraceMs'> = {},
): Promise<RunningServer> {
  const { log, lines } = recordedLog();
  const server = new AdmissionServer({ ...options, handlers, log });
  const leaf = { authority: AUTHORITY, dnsNames: [DNS_NAME], nowMs: Date.now(), randomBytes } as const;
  server.useLeaf(await issueLeaf(leaf));
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const ca = AUTHORITY.certificatePem;
  const tls = { host: '127.0.0.1', port, ca, servername: DNS_NAME };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(async () => {
    agent.destroy();
    await server.close();
  });
  return {
    server,
    port,
    ca,
    lines,
    agent,
    post: async (body, options = {}) => {
      const { path = Object.keys(handlers)[0], method = 'POST', headers, agent: own = agent } = options;
      const request = httpsRequest({
        ...tls,
        agent: own,
        path,
        method,
        headers: { 'content-type': 'application/json', ...headers },
      });
      request.end(body);
      // Whoever is answered early, and cut off, may still be writing.
      request.on('error', () => undefined);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      let text = '';
      for await (const chunk of response) text += String(chunk);
      return {
        code: response.statusCode ?? 0,
        headers: response.headers,
        body: text === '' ? undefined : JSON.parse(text),
      };
    },
    dial: async () => {
      const socket = connect(tls);
      onTestFinished(() => void socket.destroy());
      await once(socket, 'secureConnect');
      return socket;
    },
  };
}

/** Everything that the peer writes until it ends the connection. */
export async function readAll(socket: TLSSocket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}
