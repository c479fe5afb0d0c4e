import { describe, it } from 'vitest';
import { tlsOptions } from '../../../../src/core/rules/tls-options.ts';
import { aCluster, IMAGE, withDaskContainer, withPodSpec } from '../../../support/builders.ts';
import { expectFinding, expectNothing } from '../../../support/verdict.ts';

const CERTIFICATE = '/etc/dask-credentials/dask.crt';
const PRIVATE_KEY = '/etc/dask-credentials/dask.pem';

describe('tls-options', () => {
  it.each<[string, readonly string[]]>([
    ['no options', []],
    ['the protocol', ['--protocol', 'tls']],
    ['the protocol as the start of an address', ['--protocol=tls://']],
    ['it twice', ['--protocol', 'tls,tls', '--port', '8786,8789']],
    ['an empty protocol, which is the default', ['--protocol', '']],
    ['what only the kubelet knows', ['--protocol', '$(PROTOCOL)']],
    [
      "the cluster's own files",
      ['--tls-ca-file', CERTIFICATE, '--tls-cert', CERTIFICATE, '--tls-key', PRIVATE_KEY],
    ],
    ['other options', ['--preload', 'ws', '--no-dashboard']],
  ])('allows %s', (_what, options) => {
    expectNothing(tlsOptions, withDaskContainer('scheduler', { args: ['dask', 'scheduler', ...options] }));
  });

  it.each<[string, readonly string[], number, string]>([
    ['WebSockets, which ask for no certificate', ['--protocol', 'ws'], 3, "must use the protocol 'tls'"],
    ['plain text', ['--protocol=tcp'], 2, "must use the protocol 'tls'"],
    ['a second protocol', ['--protocol', 'tls,ucx'], 3, "must use the protocol 'tls'"],
    ['another authority', ['--tls-ca-file', '/theirs.pem'], 3, `the cluster's own file is '${CERTIFICATE}'`],
    ['another certificate', ['--tls-cert=/theirs.pem'], 2, `the cluster's own file is '${CERTIFICATE}'`],
    ['another key', ['--tls-key', CERTIFICATE], 3, `the cluster's own file is '${PRIVATE_KEY}'`],
  ])('refuses %s', (...[, options, index, says]) => {
    const args = ['dask', 'worker', ...options];
    expectFinding(tlsOptions, withDaskContainer('worker', { args }), {
      path: `spec.worker.template.spec.containers[0].args[${index}]`,
      says,
    });
  });

  it('leaves other containers alone', () => {
    const sidecar = { name: 'proxy', image: IMAGE, args: ['--protocol', 'http'] };
    expectNothing(tlsOptions, withPodSpec('worker', { containers: [sidecar, { name: 'dask-worker' }] }));
    expectNothing(tlsOptions, withPodSpec('worker', { containers: [sidecar, { ...sidecar, name: 'b' }] }));
    expectNothing(tlsOptions, aCluster());
  });
});
