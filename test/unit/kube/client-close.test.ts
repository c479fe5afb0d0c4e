import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { TransportError } from '../../../src/kube/errors.ts';
import { clientOf } from './local-server.ts';

it('a closed client ends a connection attempt that nobody answers', async () => {
  const silent = createServer();
  silent.listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  // Never answers the handshake: by itself the attempt would end after 10 s.
  const client = clientOf(`https://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  const call = client.request('POST', '/readyz').catch((error: unknown) => error);
  const [socket] = (await once(silent, 'connection')) as [Socket];
  socket.resume();
  const ended = once(socket, 'close', { signal: AbortSignal.timeout(2_000) });
  socket.on('error', () => undefined);
  await client.close();
  await ended;
  expect(await call).toBeInstanceOf(TransportError);
});
