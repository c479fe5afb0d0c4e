import { describe, expect, it } from 'vitest';
import type { EnvVar } from '../../../../src/api/kubernetes.ts';
import { reservedEnv } from '../../../../src/core/rules/reserved-env.ts';
import { subjectOf } from '../../../../src/core/rules/subject.ts';
import { CREDENTIALS_ENVIRONMENT } from '../../../../src/core/render/environment.ts';
import type { DaskCluster } from '../../../../src/api/dask-cluster.ts';
import { IMAGE, withDaskContainer, withPodSpec } from '../../../support/builders.ts';
import { expectFinding, expectNothing } from '../../../support/verdict.ts';

const CA_FILE = 'DASK_DISTRIBUTED__COMM__TLS__CA_FILE';
const podName = { fieldRef: { fieldPath: 'metadata.name' } };

const withEnv = (...env: EnvVar[]): DaskCluster => withDaskContainer('worker', { env });

describe('reserved-env', () => {
  it.each<[string, EnvVar]>([
    ['a variable of their own', { name: 'OMP_NUM_THREADS', value: '1' }],
    [
      'configuration beside what is reserved',
      { name: 'DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT', value: '60s' },
    ],
    ['a key that only begins like a reserved one', { name: 'DASK_DISTRIBUTED__COMM__TLSX', value: '1' }],
    ['a parent of nothing reserved', { name: 'DASK_DISTRIBUTED__WORKER', value: '{}' }],
    ['a name that Dask does not read', { name: 'dask_distributed__comm__tls__ca_file', value: '/x' }],
    ["Dask's configuration folder", { name: 'DASK_CONFIG', value: '/etc/dask' }],
    ['a variable whose name was thrown out', {} as EnvVar],
    ['the bare prefix', { name: 'DASK_', value: '1' }],
    ["another configuration's worker name", { name: 'DASK_WORKER_NAMES', value: 'x' }],
    ['a name that every object has', { name: 'constructor', value: 'x' }],
  ])('allows %s', (_what, variable) => {
    expectNothing(reservedEnv, withEnv(variable));
  });

  it.each<[string, EnvVar]>([
    ...CREDENTIALS_ENVIRONMENT.map((variable): [string, EnvVar] => [variable.name, variable]),
    ['DASK_WORKER_NAME', { name: 'DASK_WORKER_NAME', valueFrom: podName }],
    ['DASK_WORKER_NAME with its zero value', { name: 'DASK_WORKER_NAME', value: '', valueFrom: podName }],
  ])('allows to repeat the right value: %s', (_name, variable) => {
    expectNothing(reservedEnv, withEnv(variable));
  });

  it.each([
    [CA_FILE],
    ['DASK_distributed__comm__tls__ca_file'],
    ['DASK_DISTRIBUTED.COMM.TLS.CA-FILE'],
    ['DASK_DISTRIBUTED__COMM__TLS__CA-FILE'],
    ['DASK_DISTRIBUTED__COMM__TLS'],
    ['DASK_DISTRIBUTED__COMM'],
    ['DASK_DISTRIBUTED'],
    ['DASK_DISTRIBUTED__COMM__TLS__MIN_VERSION'],
    ['DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION'],
    ['DASK_DISTRIBUTED__COMM__REQUIRE-ENCRYPTION'],
    ['DASK_WORKER_NAME'],
    ['DASK_GATEWAY_API_URL'],
    ['DASK_GATEWAY_CLUSTER_NAME'],
    ['DASK_GATEWAY_API_TOKEN'],
    ['DASK_GATEWAY_WORKER_NAME'],
  ])('refuses %s', (name) => {
    expectFinding(reservedEnv, withEnv({ name: 'A', value: '1' }, { name, value: 'theirs' }), {
      path: 'spec.worker.template.spec.containers[0].env[1].name',
      says: `'${name}' changes what daskwarden sets for TLS and names; remove it`,
    });
  });

  it.each<[string, EnvVar]>([
    ['a reference where a value belongs', { name: CA_FILE, valueFrom: podName }],
    [
      'a value beside an empty reference',
      { name: CA_FILE, value: '/etc/dask-credentials/dask.crt', valueFrom: {} },
    ],
    ['a value where a reference belongs', { name: 'DASK_WORKER_NAME', value: 'metadata.name' }],
    ['another field', { name: 'DASK_WORKER_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
    ['no value', { name: CA_FILE }],
  ])('refuses %s', (_what, variable) => {
    expectFinding(reservedEnv, withEnv(variable), {
      path: 'spec.worker.template.spec.containers[0].env[0].name',
      says: 'Forbidden: ',
    });
  });

  it('never shows a value', () => {
    const [finding] = reservedEnv.check(
      subjectOf(withEnv({ name: 'DASK_GATEWAY_API_TOKEN', value: 'hunter2' })),
    );
    expect(JSON.stringify(finding)).not.toContain('hunter2');
  });

  it('cuts a name that is long', () => {
    const [finding] = reservedEnv.check(subjectOf(withEnv({ name: `${CA_FILE}__${'x'.repeat(9_000)}` })));
    expect(finding?.message.length).toBeLessThan(250);
  });

  it.each([
    ['DASK_DISTRIBUTED__COMM__TLS__', 1],
    ['DASK_distributed.comm.tls.', 1],
    ['DASK_DISTRIBUTED__COMM__TLS__SCHEDULER__', 1],
    ['DASK_DISTRIBUTED__COMM__TLS', 0],
    ['DASK_DISTRIBUTED__', 0],
    ['DASK_', 0],
    ['TLS__', 0],
    ['', 0],
    [undefined, 0],
  ])('judges a source of variables by its prefix: %s', (prefix, findings) => {
    const source = { configMapRef: { name: 'settings' }, ...(prefix === undefined ? {} : { prefix }) };
    const cluster = withDaskContainer('scheduler', { envFrom: [{ secretRef: { name: 's' } }, source] });
    const told = reservedEnv.check(subjectOf(cluster));
    expect(told.map(({ path }) => path.toString())).toEqual(
      Array.from({ length: findings }, () => 'spec.scheduler.template.spec.containers[0].envFrom[1].prefix'),
    );
  });

  it('leaves other containers alone, and finds the Dask container behind them', () => {
    const env = [{ name: CA_FILE, value: '/theirs' }];
    const sidecar = { name: 'proxy', image: IMAGE, env };
    const spec = { initContainers: [sidecar], containers: [sidecar, { name: 'dask-worker', image: IMAGE }] };
    expectNothing(reservedEnv, withPodSpec('worker', spec));
    expectFinding(
      reservedEnv,
      withPodSpec('worker', { containers: [sidecar, { name: 'dask-worker', env }] }),
      {
        path: 'spec.worker.template.spec.containers[1].env[0].name',
        says: CA_FILE,
      },
    );
  });

  it('says nothing where nobody knows which container it is', () => {
    const env = [{ name: CA_FILE, value: '/theirs' }];
    expectNothing(
      reservedEnv,
      withPodSpec('worker', { containers: ['a', 'b'].map((name) => ({ name, env })) }),
    );
  });
});
