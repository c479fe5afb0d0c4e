import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface Backend {
  readonly port: number;
  /** Whether new connections may go there; those that are open are left alone. */
  readonly isReady: () => boolean;
}

/**
 * Stands where kube-proxy would: spreads new connections over the backends that are ready, and knows nothing of what
 * passes through them. Nothing is tried a second time.
 */
export class TcpBalancer {
  readonly port: number;
  readonly backends = new Set<Backend>();
  private readonly server: Server;
  private readonly open = new Map<Socket, Backend>();
  private turn = 0;

  private constructor(server: Server) {
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket) => {
      this.lead(socket);
    });
  }

  static async start(): Promise<TcpBalancer> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpBalancer(server);
  }

  /** How many connections lead there now. */
  connectionsTo(backend: Backend): number {
    return [...this.open.values()].filter((one) => one === backend).length;
  }

  async close(): Promise<void> {
    for (const socket of this.open.keys()) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private lead(socket: Socket): void {
    const ready = [...this.backends].filter(({ isReady }) => isReady());
    const backend = ready[this.turn++ % ready.length];
    socket.on('error', () => socket.destroy());
    if (backend === undefined) {
      socket.destroy();
      return;
    }
    const there = connect({ host: '127.0.0.1', port: backend.port, allowHalfOpen: true, noDelay: true });
    this.open.set(socket, backend);
    socket.once('close', () => {
      this.open.delete(socket);
      there.destroy();
    });
    there.on('error', () => socket.destroy());
    there.once('close', () => socket.destroy());
    socket.pipe(there).pipe(socket);
  }
}
