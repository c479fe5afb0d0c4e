import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type Component, ETCD_SOCKET } from './component.ts';

/** etcd without its disk syncs: the data do not outlive the control plane. Its sockets lie in its working folder. */
export function etcd(directory: string): Component {
  const client = `unix://${ETCD_SOCKET}`;
  const peer = 'unix://etcd-peer:0';
  return {
    name: 'etcd',
    args: () => [
      '--name=default',
      '--data-dir=etcd',
      '--unsafe-no-fsync',
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--log-level=warn',
    ],
    ready: async () => {
      await access(join(directory, ETCD_SOCKET));
      return true;
    },
  };
}
