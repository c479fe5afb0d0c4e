import { describe, expect, it } from 'vitest';
import { judge } from '../../../../src/core/judge.ts';
import { aGatewayCluster } from '../../../support/gateway-cluster.ts';

const told = (config: Readonly<Record<string, unknown>>): string[] =>
  judge({ object: aGatewayCluster(config) }).findings.map(
    ({ rule, path }) => `${rule} ${path.toString().replace(/^spec\.config\./, '')}`,
  );

describe('the gateway form', () => {
  it('has nothing wrong with what dask-gateway and daskwarden themselves write', () => {
    expect(told({})).toEqual([]);
    expect(told({ environment: { EXTRA: '1' }, scheduler_cmd: ['dask-scheduler'] })).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    [
      'foreign-credentials',
      {
        worker_extra_pod_config: {
          volumes: [{ name: 'v', secret: { secretName: 'dask-credentials-other' } }],
        },
      },
    ],
    [
      'reserved-volume',
      { worker_extra_pod_config: { volumes: [{ name: 'dask-credentials', emptyDir: {} }] } },
    ],
    [
      'mount-paths',
      {
        worker_extra_container_config: {
          volumeMounts: [{ name: 'v', mountPath: '/etc/dask-credentials/x' }],
        },
      },
    ],
    ['reserved-env', { environment: { DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION: 'False' } }],
    [
      'reserved-env',
      { worker_extra_container_config: { env: [{ name: 'DASK_GATEWAY_API_TOKEN', value: 'x' }] } },
    ],
    ['tls-options', { scheduler_extra_container_config: { args: ['--protocol', 'ws'] } }],
    ['reserved-labels', { worker_extra_pod_labels: { 'gateway.dask.org/cluster': 'other' } }],
    ['restart-policy', { worker_extra_pod_config: { restartPolicy: 'Always' } }],
    ['request-over-limit', { worker_memory: 4_294_967_296, worker_memory_limit: 1_073_741_824 }],
    [
      'ports',
      { scheduler_extra_pod_config: { containers: [{ name: 'proxy', ports: [{ containerPort: 8787 }] }] } },
    ],
    ['dask-container', { worker_extra_container_config: { name: 'mine' } }],
    ['dask-container', { worker_extra_pod_config: { containers: null } }],
  ])('is judged by %s where the configuration says it', (rule, config) => {
    const [key = ''] = Object.keys(config);
    const findings = told(config);
    expect(findings.length).toBeGreaterThan(0);
    for (const finding of findings) expect(finding.startsWith(`${rule} ${key}`), finding).toBe(true);
  });

  it('survives parts of whatever type', () => {
    const config = {
      environment: 7,
      worker_extra_pod_config: { volumes: 'x', containers: [7, { env: {} }], tolerations: [null] },
      worker_extra_container_config: { env: 'x', args: [1] },
      worker_extra_pod_labels: { a: 1 },
    };
    expect(() => told(config)).not.toThrow();
  });

  it('hears no unknown key that is named like the path of what is refused', () => {
    const findings = told({
      'worker_extra_pod_config.volumes[0]': {},
      worker_extra_pod_config: { volumes: [{ name: 'v', secret: { secretName: 'dask-credentials-other' } }] },
    });
    expect(findings).toContain('foreign-credentials worker_extra_pod_config.volumes[0].secret.secretName');
  });
});
