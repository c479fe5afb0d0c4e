/** Of all objects; the webhook asks the API server about one that is not there, each time. */
export const BENCH_NAMESPACE = 'bench';
/** The marker that the load generator replaces by a number of its own for each object. */
const UNIQUE = '@N@';
const PODS_PER_MIX = 100;
const PATCHES_PER_CREATE = 9;

/** Reviews with a create of about so many bytes, one JSON text each. */
export interface ReviewMix {
  /** Nine patches of replicas to one create. */
  readonly mixed: readonly string[];
  /** Creates alone; every object differs from all others. */
  readonly creates: readonly string[];
}

export function reviewsOf(createBytes: number): ReviewMix {
  const padding = Math.max(0, createBytes - createText(0).length);
  const creates = [createText(padding)];
  const mixed = Array.from({ length: PODS_PER_MIX }, (_, index) => {
    if (index % (PATCHES_PER_CREATE + 1) === 0) return creates;
    const name = `c${String(index)}`;
    const replicas = 1 + (index % 7);
    return [
      reviewText({
        operation: 'UPDATE',
        name: `demo-${name}`,
        object: clusterText(name, replicas + 1, padding),
        oldObject: clusterText(name, replicas, padding),
      }),
    ];
  }).flat();
  return { mixed, creates };
}

function createText(padding: number): string {
  const object = clusterText(UNIQUE, 2, padding);
  return reviewText({ operation: 'CREATE', name: `demo-${UNIQUE}`, object, oldObject: 'null' });
}

/** @param padding about so many bytes of environment variables */
export function clusterText(name: string, replicas: number, padding: number): string {
  return JSON.stringify({
    apiVersion: 'gateway.dask.org/v1alpha1',
    kind: 'DaskCluster',
    metadata: {
      name: `demo-${name}`,
      namespace: BENCH_NAMESPACE,
      uid: 'e4d1c7c2-8d2b-4b0c-9a57-0f6a3f3f2c11',
      resourceVersion: '4711',
      generation: 3,
      labels: { team: 'a' },
      annotations: { 'daskwarden.dev/requested-by': 'ada' },
    },
    spec: {
      scheduler: template('dask-scheduler', name, 0),
      worker: { ...template('dask-worker', name, padding), replicas },
    },
  });
}

function template(container: string, name: string, padding: number): object {
  return {
    template: {
      spec: {
        containers: [
          {
            name: container,
            image: 'ghcr.io/dask/dask:2026.8.0-py3.13',
            env: [{ name: 'CLUSTER', value: name }, ...variables(padding)],
            resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '1', memory: '2Gi' } },
            volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
          },
        ],
        volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Gi' } }],
      },
    },
  };
}

/** Variables that make a manifest larger by so many bytes, as long commands and settings do. */
function variables(bytes: number): object[] {
  const count = Math.floor(bytes / 100);
  return Array.from({ length: count }, (_, index) => ({
    name: `SETTING_${String(index).padStart(4, '0')}`,
    value: 'x'.repeat(62),
  }));
}

interface ReviewParts {
  readonly operation: 'CREATE' | 'UPDATE';
  readonly name: string;
  /** As JSON. */
  readonly object: string;
  readonly oldObject: string;
}

function reviewText({ operation, name, object, oldObject }: ReviewParts): string {
  const kind = { group: 'gateway.dask.org', version: 'v1alpha1', kind: 'DaskCluster' };
  const request = JSON.stringify({
    uid: `0f6a3f3f-2c11-4b0c-9a57-${UNIQUE}`,
    kind,
    resource: { group: 'gateway.dask.org', version: 'v1alpha1', resource: 'daskclusters' },
    requestKind: kind,
    name,
    namespace: BENCH_NAMESPACE,
    operation,
    userInfo: { username: 'ada', groups: ['system:authenticated'] },
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
  });
  const objects = `"object":${object},"oldObject":${oldObject}`;
  return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":${request.slice(0, -1)},${objects}}}`;
}
