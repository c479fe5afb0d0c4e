import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../src/api/kubernetes.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy/policy.ts';
import { hasCredentials } from '../../../src/core/render/credentials.ts';
import type { JsonObject } from '../../../src/core/structure/json.ts';
import type { Decision } from '../../../webhooks/decision.ts';
import { guardPod, injectPod } from '../../../webhooks/pods.ts';
import { type AdmissionRequest, BadRequest } from '../../../webhooks/review.ts';
import { applyJsonPatch } from '../../support/json-patch.ts';
import { ADA, aRequest } from './reviews.ts';

const CONTROLLER = 'system:serviceaccount:dask:daskwarden-controller';
const CONTEXT = { policy: () => ({ ...DEFAULT_POLICY, podCreators: [CONTROLLER] }) };
const WORKER = {
  'gateway.dask.org/cluster': 'demo',
  'gateway.dask.org/instance': 'daskwarden',
  'app.kubernetes.io/component': 'dask-worker',
};

function aPod(labels: Readonly<Record<string, string>> = WORKER, spec: object = {}): JsonObject {
  const containers = [
    { name: 'dask-worker', image: 'dask' },
    { name: 'sidecar', image: 'proxy' },
  ];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'w-0', labels }, spec: { containers, ...spec } };
}

function podRequest(change: Partial<AdmissionRequest>): AdmissionRequest {
  return aRequest({ kind: { group: '', version: 'v1', kind: 'Pod' }, name: 'w-0', ...change });
}

function guard(change: Partial<AdmissionRequest>): Decision {
  return guardPod(podRequest(change), CONTEXT);
}

function paths(decision: Decision): readonly string[] {
  return decision.findings.map(({ path }) => path.toString());
}

describe('injectPod', () => {
  function inject(pod: JsonObject): JsonObject {
    const decision = injectPod(podRequest({ object: pod }));
    if (!decision.allowed) throw new Error('denied');
    return applyJsonPatch(pod, decision.patch);
  }

  it('gives a worker its credentials as it is created', () => {
    const pod = inject(aPod());
    expect(pod['spec']).toMatchObject({
      volumes: [{ name: 'dask-credentials', secret: { secretName: 'dask-credentials-demo' } }],
      containers: [
        {
          volumeMounts: [{ name: 'dask-credentials', mountPath: '/etc/dask-credentials', readOnly: true }],
        },
        { name: 'sidecar', image: 'proxy' },
      ],
    });
    expect(hasCredentials(pod as unknown as Pod, 'demo')).toBe(true);
  });

  it('is idempotent', () => {
    const pod = inject(aPod());
    expect(injectPod(podRequest({ object: pod }))).toEqual({ allowed: true, findings: [], patch: [] });
  });

  it('leaves a pod without the cluster label alone', () => {
    const pod = aPod({ 'app.kubernetes.io/component': 'dask-worker' });
    expect(inject(pod)).toEqual(pod);
  });

  it('does nothing to a pod that exists: its volumes cannot be changed', () => {
    const request = podRequest({ operation: 'UPDATE', object: aPod(), oldObject: aPod() });
    expect(injectPod(request)).toEqual({ allowed: true, findings: [], patch: [] });
  });
});

describe('guardPod', () => {
  const OTHER = { 'gateway.dask.org/cluster': 'demo', 'app.kubernetes.io/component': 'notebook' };

  it("lets the controller create a cluster's pods", () => {
    expect(guard({ object: aPod(), requester: { ...ADA, username: CONTROLLER } })).toEqual({
      allowed: true,
      findings: [],
      patch: [],
    });
  });

  it('refuses everybody else, also in a dry run', () => {
    for (const dryRun of [false, true]) {
      const decision = guard({ object: aPod(), dryRun });
      expect(decision).toMatchObject({ allowed: false, reason: 'Forbidden' });
      expect(paths(decision)).toEqual(['metadata.labels[app.kubernetes.io/component]']);
    }
  });

  it("leaves pods alone that only belong to a cluster's namespace or name", () => {
    expect(guard({ object: aPod(OTHER) }).allowed).toBe(true);
  });

  it('refuses to turn a pod into a worker, and a worker into something else', () => {
    const turned = guard({ operation: 'UPDATE', object: aPod(), oldObject: aPod(OTHER) });
    expect(turned).toMatchObject({ allowed: false, reason: 'Forbidden' });
    expect(paths(turned)).toContain('metadata.labels[app.kubernetes.io/component]');
    const back = guard({ operation: 'UPDATE', object: aPod({}), oldObject: aPod() });
    expect(paths(back)).toContain('metadata.labels[gateway.dask.org/cluster]');
  });

  it('lets anybody add other labels to a worker', () => {
    const object = aPod({ ...WORKER, team: 'a' });
    expect(guard({ operation: 'UPDATE', object, oldObject: aPod() }).allowed).toBe(true);
  });

  it('says nothing to DELETE', () => {
    expect(guard({ operation: 'DELETE', oldObject: aPod() }).allowed).toBe(true);
  });
});

describe('a review that no API server sends', () => {
  it.each([
    [
      'another kind',
      podRequest({ kind: { group: 'apps', version: 'v1', kind: 'Deployment' } }),
      'request.kind: this path judges pods, not Deployment.apps',
    ],
    ['no pod', podRequest({}), 'request.object must be a Pod'],
    ['no metadata', podRequest({ object: { spec: {} } }), 'request.object.metadata must be an object'],
    [
      'a null label',
      podRequest({ object: { metadata: { labels: { a: null } }, spec: {} } }),
      'request.object.metadata.labels must map strings to strings',
    ],
    [
      'no spec',
      podRequest({ object: { metadata: {}, spec: null } }),
      'request.object.spec must be an object',
    ],
    [
      'containers of another type',
      podRequest({ object: aPod(WORKER, { containers: {} }) }),
      'request.object.spec.containers must be a list of objects with a name',
    ],
    [
      'a null container',
      podRequest({ object: aPod(WORKER, { containers: [null] }) }),
      'request.object.spec.containers must be a list of objects with a name',
    ],
    [
      'a variable without a name',
      podRequest({ object: aPod(WORKER, { containers: [{ name: 'a', env: [{}] }] }) }),
      'request.object.spec.containers[].env must be a list of objects with a name',
    ],
    [
      'a text for the mounts',
      podRequest({ object: aPod(WORKER, { containers: [{ name: 'a', volumeMounts: 'x' }] }) }),
      'request.object.spec.containers[].volumeMounts must be a list of objects with a name',
    ],
    [
      'a number for a volume',
      podRequest({ object: aPod(WORKER, { volumes: [1] }) }),
      'request.object.spec.volumes must be a list of objects with a name',
    ],
  ])('%s is a bad request', (_, request, message) => {
    expect(() => injectPod(request)).toThrow(new BadRequest(message));
    expect(() => guardPod(request, CONTEXT)).toThrow(new BadRequest(message));
  });

  it('an update without the old pod is one too', () => {
    expect(() => guard({ operation: 'UPDATE', object: aPod() })).toThrow(
      new BadRequest('request.oldObject must be a Pod'),
    );
  });

  it('lists that are null are as good as absent', () => {
    const pod = aPod(WORKER, { volumes: null, containers: [{ name: 'a', env: null, volumeMounts: null }] });
    const decision = injectPod(podRequest({ object: pod }));
    if (!decision.allowed) throw new Error('denied');
    expect(hasCredentials(applyJsonPatch(pod, decision.patch) as unknown as Pod, 'demo')).toBe(true);
  });

  it('labels that are absent are none', () => {
    const { metadata: _, ...pod } = aPod();
    expect(injectPod(podRequest({ object: { ...pod, metadata: { name: 'w-0' } } }))).toMatchObject({
      patch: [],
    });
    expect(guard({ object: { ...pod, metadata: { name: 'w-0', labels: null } } }).allowed).toBe(true);
  });
});
