import { KubeConfig } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { kubeconfig } from '../../../src/control-plane/kubeconfig.ts';

const text = kubeconfig({ server: 'https://127.0.0.1:6443', caPem: 'PEM\n', user: 'admin', token: 'abc' });

test('readers of kubeconfigs find server, authority and token', () => {
  const config = new KubeConfig();
  config.loadFromString(text);
  expect(config.getCurrentCluster()).toMatchObject({
    server: 'https://127.0.0.1:6443',
    skipTLSVerify: false,
  });
  expect(Buffer.from(config.getCurrentCluster()!.caData!, 'base64').toString()).toBe('PEM\n');
  expect(config.getCurrentUser()).toMatchObject({ name: 'admin', token: 'abc' });
});

test('it refers to no other file and is YAML', () => {
  expect(JSON.stringify(parse(text))).not.toMatch(/certificate-authority"|tokenFile|client-key"/);
});
