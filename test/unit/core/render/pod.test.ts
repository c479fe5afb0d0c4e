import { describe, expect, it } from 'vitest';
import type { DaskCluster, PodTemplate } from '../../../../src/api/dask-cluster.ts';
import type { Container, Pod } from '../../../../src/api/kubernetes.ts';
import { renderSchedulerPod, renderWorkerPod } from '../../../../src/core/render/pod.ts';
import { aCluster, IMAGE, withDaskContainer, withPodSpec } from '../../../support/builders.ts';

const installation = { instance: 'prod' };
const scheduler = (cluster: DaskCluster): Pod => renderSchedulerPod(cluster, installation, 2);
const worker = (cluster: DaskCluster): Pod =>
  renderWorkerPod(cluster, installation, { incarnation: 2, slot: 7 });

function only(pod: Pod): Container {
  const [container] = pod.spec.containers;
  if (container === undefined) throw new Error('the pod has no container');
  return container;
}

function withTemplate(role: 'scheduler' | 'worker', template: PodTemplate): DaskCluster {
  return aCluster({ spec: { [role]: { template } } });
}

const ownerReferences = [
  {
    apiVersion: 'gateway.dask.org/v1alpha1',
    kind: 'DaskCluster',
    name: 'demo',
    uid: '5f1e0c3a-0000-4000-8000-000000000001',
    controller: true,
    blockOwnerDeletion: true,
  },
];

describe('the scheduler of a template that names only an image', () => {
  it('is this pod', () => {
    expect(scheduler(aCluster())).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'dask-scheduler-demo',
        namespace: 'team-a',
        labels: {
          'app.kubernetes.io/name': 'dask',
          'app.kubernetes.io/managed-by': 'daskwarden',
          'app.kubernetes.io/component': 'dask-scheduler',
          'gateway.dask.org/cluster': 'demo',
          'gateway.dask.org/instance': 'prod',
          'daskwarden.dev/incarnation': '2',
          'daskwarden.dev/container': 'dask-scheduler',
        },
        ownerReferences,
      },
      spec: {
        restartPolicy: 'Never',
        enableServiceLinks: false,
        containers: [
          {
            name: 'dask-scheduler',
            image: IMAGE,
            args: 'dask scheduler --protocol tls --port 8786 --dashboard-address :8787'.split(' '),
            terminationMessagePolicy: 'FallbackToLogsOnError',
            readinessProbe: {
              httpGet: { path: '/health', port: 8787 },
              periodSeconds: 1,
              failureThreshold: 3,
            },
          },
        ],
      },
    });
  });
});

describe('a worker of a template that names only an image', () => {
  it('is this pod', () => {
    expect(worker(aCluster())).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'dask-worker-demo-5f1e0c3a-7',
        namespace: 'team-a',
        labels: {
          'app.kubernetes.io/name': 'dask',
          'app.kubernetes.io/managed-by': 'daskwarden',
          'app.kubernetes.io/component': 'dask-worker',
          'gateway.dask.org/cluster': 'demo',
          'gateway.dask.org/instance': 'prod',
          'daskwarden.dev/incarnation': '2',
          'daskwarden.dev/slot': '7',
          'daskwarden.dev/container': 'dask-worker',
        },
        ownerReferences,
      },
      spec: {
        restartPolicy: 'OnFailure',
        enableServiceLinks: false,
        containers: [
          {
            name: 'dask-worker',
            image: IMAGE,
            args: [
              'dask',
              'worker',
              'tls://dask-demo.team-a:8786',
              '--name',
              '$(DASK_WORKER_NAME)',
              '--nthreads',
              '1',
              '--memory-limit',
              'auto',
              '--dashboard-address',
              ':8787',
            ],
            terminationMessagePolicy: 'FallbackToLogsOnError',
            env: [
              {
                name: 'DASK_WORKER_NAME',
                valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
              },
            ],
          },
        ],
      },
    });
  });

  it('has the name of no worker of another cluster, life or slot', () => {
    const other = '5f1e0c3b-0000-4000-8000-000000000001';
    const names = [
      worker(aCluster()),
      worker(aCluster({ uid: other })),
      worker(aCluster({ name: 'demo-5f1e0c3a' })),
      renderWorkerPod(aCluster(), installation, { incarnation: 2, slot: 8 }),
    ].map(({ metadata }) => metadata.name);
    expect(new Set(names).size).toBe(4);
  });
});

describe('what the user wrote', () => {
  it.each<Partial<Container>>([
    { command: ['run.sh'] },
    { args: ['--verbose'] },
    { command: ['sh', '-c'], args: ['dask scheduler'] },
  ])('stays his command: %j', (written) => {
    const { command, args, readinessProbe } = only(scheduler(withDaskContainer('scheduler', written)));
    expect({ ...(command && { command }), ...(args && { args }) }).toEqual(written);
    // Of a command that is not ours only the port is known.
    expect(readinessProbe).toEqual({ tcpSocket: { port: 8786 }, periodSeconds: 1, failureThreshold: 3 });
    const own = only(worker(withDaskContainer('worker', written)));
    expect({ command: own.command, args: own.args }).toEqual({ command, args });
  });

  it('is no command where the lists are empty', () => {
    expect(only(scheduler(withDaskContainer('scheduler', { command: [], args: [] }))).args?.[1]).toBe(
      'scheduler',
    );
  });

  it('stays his probe', () => {
    const readinessProbe = { exec: { command: ['true'] } };
    expect(only(scheduler(withDaskContainer('scheduler', { readinessProbe }))).readinessProbe).toEqual(
      readinessProbe,
    );
    expect(only(worker(aCluster()))).not.toHaveProperty('readinessProbe');
  });

  it('stays his choice where there is a default', () => {
    const spec = { restartPolicy: 'OnFailure', enableServiceLinks: true, terminationGracePeriodSeconds: 5 };
    expect(scheduler(withPodSpec('scheduler', spec)).spec).toMatchObject(spec);
    expect(worker(withPodSpec('worker', { restartPolicy: 'Never' })).spec.restartPolicy).toBe('Never');
    const policy = { terminationMessagePolicy: 'File' };
    expect(only(worker(withDaskContainer('worker', policy)))).toMatchObject(policy);
  });

  it('is a default where it is the empty text, of which the API server would make another one', () => {
    expect(worker(withPodSpec('worker', { restartPolicy: '' })).spec.restartPolicy).toBe('OnFailure');
    expect(scheduler(withPodSpec('scheduler', { restartPolicy: '' })).spec.restartPolicy).toBe('Never');
    const container = only(worker(withDaskContainer('worker', { terminationMessagePolicy: '' })));
    expect(container.terminationMessagePolicy).toBe('FallbackToLogsOnError');
  });

  it('stays in its order: his variables first, and the name of a worker that he repeats', () => {
    const env = [
      { name: 'B', value: '1' },
      { name: 'A', value: '2' },
    ];
    const names = (container: Container): (string | undefined)[] | undefined =>
      container.env?.map(({ name }) => name);
    expect(names(only(worker(withDaskContainer('worker', { env }))))).toEqual(['B', 'A', 'DASK_WORKER_NAME']);
    const repeated = [{ name: 'DASK_WORKER_NAME' }, ...env];
    expect(only(worker(withDaskContainer('worker', { env: repeated }))).env).toBe(repeated);
    expect(names(only(scheduler(withDaskContainer('scheduler', { env }))))).toEqual(['B', 'A']);
  });

  it('stays in other containers, and what the Dask container is follows its name', () => {
    const proxy = { name: 'proxy', image: IMAGE };
    const cluster = withPodSpec('worker', { containers: [proxy, { name: 'dask-worker', image: IMAGE }] });
    const [first, second] = worker(cluster).spec.containers;
    expect(first).toBe(proxy);
    expect(second?.args?.[1]).toBe('worker');
  });

  it('keeps its labels and annotations, but not those that select', () => {
    const metadata = {
      name: 'theirs',
      namespace: 'theirs',
      labels: { team: 'a', 'gateway.dask.org/instance': 'theirs', 'app.kubernetes.io/component': 'theirs' },
      annotations: { 'example.org/note': 'kept' },
    };
    const template = { metadata, spec: { containers: [{ name: 'main', image: IMAGE }] } };
    const rendered = scheduler(withTemplate('scheduler', template)).metadata;
    expect(rendered).toMatchObject({ name: 'dask-scheduler-demo', namespace: 'team-a' });
    expect(rendered.annotations).toEqual({ 'example.org/note': 'kept' });
    expect(rendered.labels).toMatchObject({
      team: 'a',
      'gateway.dask.org/instance': 'prod',
      'app.kubernetes.io/component': 'dask-scheduler',
      'daskwarden.dev/container': 'main',
    });
  });

  it('is never changed itself', () => {
    const cluster = withDaskContainer('worker', { env: [{ name: 'A', value: '1' }] });
    const before = structuredClone(cluster);
    worker(cluster);
    scheduler(cluster);
    expect(cluster).toEqual(before);
  });
});

describe('what no rule would let through', () => {
  it('is rendered as far as it goes: no template, no pod, no Dask container', () => {
    const empty = aCluster({ spec: { scheduler: {}, worker: {} } });
    expect(scheduler(empty).spec.containers).toEqual([]);
    expect(worker(empty).spec.containers).toEqual([]);
    const two = [{ name: 'a' }, { name: 'b' }];
    const pod = worker(withPodSpec('worker', { containers: two }));
    expect(pod.spec.containers).toEqual(two);
    expect(pod.metadata.labels).not.toHaveProperty('daskwarden.dev/container');
  });

  it.each(['name', 'namespace', 'uid'] as const)(
    'is an error where the object was never stored: no %s',
    (field) => {
      const { metadata, spec } = aCluster();
      const { [field]: _absent, ...rest } = metadata;
      expect(() => scheduler({ metadata: rest, spec })).toThrow(TypeError);
    },
  );
});
