import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** One thing that must be so before the process may be called. */
export interface ReadinessCheck {
  /** One word or several joined by '-'. */
  readonly name: string;
  /** What is missing, or undefined where nothing is. Must not throw. */
  readonly problem: () => string | undefined;
}

/** What `/metrics` answers. */
export interface MetricsSource {
  readonly contentType: string;
  text(): Promise<string>;
}

export interface ProbeOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Ready is the process where none has a problem; told in this order. */
  readonly checks: readonly ReadinessCheck[];
  readonly metrics?: MetricsSource;
}

interface Answer {
  readonly code: number;
  readonly text: string;
  readonly contentType?: string;
}

const TEXT = 'text/plain; charset=utf-8';

/**
 * `/livez`, `/readyz` and `/metrics` over plain HTTP, for the kubelet and for Prometheus: apart from the port that
 * serves, so that a full one is seen. `/readyz` has a line for each check, as Kubernetes' own has.
 */
export class ProbeServer {
  private readonly server: Server;
  private readonly options: ProbeOptions;

  constructor(options: ProbeOptions) {
    this.options = options;
    this.server = createServer((request, response) => {
      void this.respond(request, response);
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

  private async respond({ method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('cache-control', 'no-store');
    if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD', 'content-type': TEXT });
      response.end('there are GET and HEAD\n');
      return;
    }
    const { code, text, contentType = TEXT } = await this.answer(url?.split('?')[0]);
    response.writeHead(code, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) });
    // Of the answer to HEAD Node leaves out the body.
    response.end(text);
  }

  private async answer(path: string | undefined): Promise<Answer> {
    const { metrics } = this.options;
    if (path === '/livez') return { code: 200, text: 'ok\n' };
    if (path === '/readyz') return this.readiness();
    if (path === '/metrics' && metrics !== undefined) return scrape(metrics);
    const paths = ['/livez', '/readyz', ...(metrics === undefined ? [] : ['/metrics'])];
    return { code: 404, text: `there are ${paths.join(', ')}\n` };
  }

  private readiness(): Answer {
    const results = this.options.checks.map((check) => ({ name: check.name, problem: check.problem() }));
    const isReady = results.every((result) => result.problem === undefined);
    const lines = results.map((result) =>
      result.problem === undefined ? `[+]${result.name} ok` : `[-]${result.name} failed: ${result.problem}`,
    );
    const summary = isReady ? 'readyz check passed' : 'readyz check failed';
    return { code: isReady ? 200 : 503, text: `${[...lines, summary].join('\n')}\n` };
  }
}

async function scrape(metrics: MetricsSource): Promise<Answer> {
  try {
    return { code: 200, text: await metrics.text(), contentType: metrics.contentType };
  } catch (error) {
    return { code: 500, text: `the metrics could not be read: ${String(error)}\n` };
  }
}
