import { describe, expect, it } from 'vitest';
import type { DaskCluster } from '../../../../src/api/dask-cluster.ts';
import type { Container, PodSpec } from '../../../../src/api/kubernetes.ts';
import { format } from '../../../../src/core/findings.ts';
import { memoryUnit } from '../../../../src/core/rules/memory-unit.ts';
import { removedCommand } from '../../../../src/core/rules/removed-command.ts';
import { templateNamespace } from '../../../../src/core/rules/template-namespace.ts';
import { aCluster, IMAGE, withDaskContainer, withPodSpec } from '../../../support/builders.ts';
import { aGatewayCluster } from '../../../support/gateway-cluster.ts';
import { expectFinding, expectNothing, findingsOf } from '../../../support/verdict.ts';

const level = 'warning';
const container = (limits: Record<string, string>): Container => ({ name: 'x', resources: { limits } });

describe('memory-unit', () => {
  it.each<[string, Partial<PodSpec>]>([
    ['containers[0].resources.limits[memory]', { containers: [container({ memory: '512' })] }],
    [
      'containers[0].resources.requests[memory]',
      { containers: [{ name: 'x', resources: { requests: { memory: '512' } } }] },
    ],
    ['initContainers[0].resources.limits[memory]', { initContainers: [container({ memory: '512' })] }],
    ['resources.limits[memory]', { resources: { limits: { memory: '512' } } }],
    ['volumes[0].emptyDir.sizeLimit', { volumes: [{ name: 'v', emptyDir: { sizeLimit: '512' } }] }],
  ])('warns at %s, in few words', (path, spec) => {
    const cluster = withPodSpec('worker', spec);
    const at = `spec.worker.template.spec.${path}`;
    expectFinding(memoryUnit, cluster, { path: at, says: 'is only 512 bytes: write "Mi"', level });
    expect(findingsOf(memoryUnit, cluster).map(format).join().length).toBeLessThan(120);
  });

  it.each([
    ['512m', '"512m" is in thousandths of a byte'],
    [' 4000000000m ', '"4000000000m" is in thousandths'],
    ['1048575', 'is only 1048575 bytes'],
    ['0.5', 'is only 1 bytes'],
  ])('warns of %j', (memory, says) => {
    const path = 'spec.worker.template.spec.containers[0].resources.limits[memory]';
    expectFinding(memoryUnit, withPodSpec('worker', { containers: [container({ memory })] }), {
      path,
      says,
      level,
    });
  });

  it.each(['1Mi', '1048576', '0', '0m', '-1', 'x'])('says nothing of %j', (memory) => {
    expectNothing(memoryUnit, withPodSpec('worker', { containers: [container({ memory })] }));
  });

  it('says nothing of other resources, and of none', () => {
    expectNothing(memoryUnit, withPodSpec('worker', { containers: [container({ cpu: '500m' })] }));
    expectNothing(memoryUnit, withPodSpec('worker', { volumes: [{ name: 'v' }] }));
  });

  it("speaks of the gateway form's own keys", () => {
    const cluster = aGatewayCluster({ worker_memory: 2_147_483_648, worker_memory_limit: 512 });
    const [finding, ...others] = findingsOf(memoryUnit, cluster);
    expect(others).toEqual([]);
    expect(finding?.path.toString()).toBe('spec.config.worker_memory_limit');
  });
});

describe('removed-command', () => {
  const image = 'ghcr.io/dask/dask:latest';

  it.each<[string, Partial<Container>]>([
    ['args[0]', { args: ['dask-worker', 'tls://x'] }],
    ['command[0]', { command: ['/opt/conda/bin/dask-worker'] }],
    ['command[2]', { command: ['tini', '--', 'dask-worker'] }],
    ['args[1]', { args: ['-c', 'sleep 1; exec dask-worker $X'] }],
  ])('warns at %s, in few words', (path, change) => {
    const cluster = withDaskContainer('worker', { image, ...change });
    const says = "removed 'dask-worker': write 'dask worker'";
    expectFinding(removedCommand, cluster, {
      path: `spec.worker.template.spec.containers[0].${path}`,
      says,
      level,
    });
    expect(findingsOf(removedCommand, cluster).map(format).join().length).toBeLessThan(120);
  });

  it('looks at every container', () => {
    const cluster = withPodSpec('worker', { initContainers: [{ name: 'i', args: ['dask-ssh'] }] });
    const path = 'spec.worker.template.spec.initContainers[0].args[0]';
    expectFinding(removedCommand, cluster, { path, says: "'dask ssh'", level });
  });

  it.each<[string, Partial<Container>]>([
    ['the command that there is', { image, args: ['dask', 'worker'] }],
    ['another command', { image, args: ['dask-cuda-worker', 'dask-workers', 'my-dask-worker'] }],
    ['a name that is no command', { image, args: ['--name=dask-worker'] }],
    ['an image that says it is older', { image: 'ghcr.io/dask/dask:2026.5.1-py3.12', args: ['dask-worker'] }],
    ['an image of an earlier year', { image: 'x:v2025.12.0', args: ['dask-worker'] }],
  ])('says nothing of %s', (_what, change) => {
    expectNothing(removedCommand, withDaskContainer('worker', change));
  });

  it.each(['x:2026.6.0', 'x:2027.1', 'x:3.2'])('does not take %s for older', (tag) => {
    const cluster = withDaskContainer('worker', { image: tag, args: ['dask-worker'] });
    expect(findingsOf(removedCommand, cluster)).toHaveLength(1);
  });

  it('says nothing of the gateway form, whose commands are mended', () => {
    expectNothing(removedCommand, aGatewayCluster({ image, worker_cmd: ['dask-worker'] }));
  });
});

describe('template-namespace', () => {
  const withMetadata = (metadata: object, namespace = 'team-a'): DaskCluster => {
    const spec = { containers: [{ name: 'dask-worker', image: IMAGE }] };
    return aCluster({ namespace, spec: { worker: { template: { metadata, spec } } } });
  };

  it.each([
    ['namespace', { namespace: 'other' }, "the cluster's namespace 'team-a'"],
    ['name', { name: 'mine' }, 'each pod gets a name of its own'],
  ])('warns of a %s', (field, metadata, says) => {
    const path = `spec.worker.template.metadata.${field}`;
    expectFinding(templateNamespace, withMetadata(metadata), { path, says, level });
  });

  it.each([{ namespace: 'team-a' }, { namespace: '' }, { name: '' }, { labels: { a: 'b' } }])(
    'says nothing of %j',
    (metadata) => {
      expectNothing(templateNamespace, withMetadata(metadata));
    },
  );

  it('says nothing where the namespace is left to kubectl, or to dask-gateway', () => {
    expectNothing(templateNamespace, withMetadata({ namespace: 'other' }, ''));
    expectNothing(templateNamespace, aGatewayCluster({ namespace: 'default' }));
  });
});
