import { createServer, type Server, type ServerResponse } from 'node:http';

export interface ProbeOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Why the process is not ready, or undefined where it is. */
  readonly notReady: () => string | undefined;
}

/** `/livez` and `/readyz` over plain HTTP, for the kubelet: apart from the port that serves, so that a full one is seen. */
export class ProbeServer {
  private readonly server: Server;
  private readonly options: ProbeOptions;

  constructor(options: ProbeOptions) {
    this.options = options;
    this.server = createServer((request, response) => {
      this.answer(request.url?.split('?')[0], response);
    });
  }

  /** @returns the port that it listens on */
  async listen(): Promise<number> {
    const { host, port } = this.options;
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, resolve);
    });
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }

  private answer(path: string | undefined, response: ServerResponse): void {
    const reason = path === '/readyz' ? this.options.notReady() : undefined;
    const known = path === '/readyz' || path === '/livez';
    response.writeHead(known ? (reason === undefined ? 200 : 503) : 404, { 'content-type': 'text/plain' });
    response.end(known ? `${reason ?? 'ok'}\n` : 'there are /livez and /readyz\n');
  }
}
