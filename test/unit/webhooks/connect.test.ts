import { describe, expect, it } from 'vitest';
import type { AccessQuestion, Requester } from '../../../src/core/identity/requester.ts';
import { format } from '../../../src/core/findings.ts';
import type { JsonObject } from '../../../src/core/structure/json.ts';
import { connectPod, guardConnect } from '../../../webhooks/connect.ts';
import type { Decision } from '../../../webhooks/decision.ts';
import { type AdmissionRequest, BadRequest } from '../../../webhooks/review.ts';
import { aCluster } from '../../support/builders.ts';
import { applyJsonPatch } from '../../support/json-patch.ts';
import { aRequest } from './reviews.ts';

const LABEL = 'daskwarden.dev/connect';
const AT_LABEL = `metadata.labels[${LABEL}]`;
const OWNER = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: '1', controller: true };
const REQUESTER: Requester = { username: 'ada', uid: 'u1', groups: ['data'], extra: { scope: ['x'] } };

/** Answers yes, and remembers what it was asked. */
class Access {
  readonly asked: [Requester, AccessQuestion][] = [];
  isAllowed = true;

  readonly context = {
    mayDo: (who: Requester, question: AccessQuestion): Promise<boolean> => {
      this.asked.push([who, question]);
      return Promise.resolve(this.isAllowed);
    },
    clusterOf: (namespace: string, name: string) =>
      namespace === 'team-a' && name === 'demo' ? aCluster() : undefined,
  };
}

function aPod(label = 'demo', metadata: object = {}, spec: object = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'notebook', labels: { [LABEL]: label }, ...metadata },
    spec: { containers: [{ name: 'notebook', image: 'jupyter' }], ...spec },
  };
}

function podRequest(change: Partial<AdmissionRequest>): AdmissionRequest {
  const kind = { group: '', version: 'v1', kind: 'Pod' };
  return aRequest({ kind, name: 'notebook', requester: REQUESTER, ...change });
}

function patched(object: JsonObject, decision: Decision): JsonObject {
  if (!decision.allowed) throw new Error(`denied: ${decision.findings.map(format).join()}`);
  return applyJsonPatch(object, decision.patch);
}

async function inject(object: JsonObject, access = new Access(), change: Partial<AdmissionRequest> = {}) {
  return connectPod(podRequest({ object, ...change }), access.context);
}

async function guard(change: Partial<AdmissionRequest>, access = new Access()): Promise<Decision> {
  return guardConnect(podRequest(change), access.context);
}

describe('connectPod', () => {
  it('asks for the creator, and gives the pod what it needs', async () => {
    const access = new Access();
    const decision = await inject(aPod(), access);
    expect(access.asked).toEqual([
      [
        REQUESTER,
        {
          verb: 'connect',
          group: 'gateway.dask.org',
          resource: 'daskclusters',
          namespace: 'team-a',
          name: 'demo',
        },
      ],
    ]);
    expect(decision.findings).toEqual([]);
    expect(patched(aPod(), decision)['spec']).toMatchObject({
      volumes: [{ secret: { secretName: 'dask-credentials-demo' } }],
      containers: [{ volumeMounts: [{ mountPath: '/etc/dask-credentials' }] }],
    });
  });

  it('asks about the cluster of another namespace there', async () => {
    const access = new Access();
    const pod = aPod('team-a.demo');
    const decision = await inject(pod, access, { namespace: 'lab' });
    expect(access.asked[0]?.[1]).toMatchObject({ namespace: 'team-a', name: 'demo' });
    expect(patched(pod, decision)['spec']).toMatchObject({
      volumes: [{ secret: { secretName: 'dask-connect-team-a.demo' } }],
    });
  });

  it.each([
    ['its service account', { serviceAccountName: 'runner' }, 'runner'],
    ['the old field', { serviceAccount: 'older' }, 'older'],
    ['none', {}, 'default'],
  ])('asks for the service account of a pod with an owner: %s', async (_, spec, account) => {
    const access = new Access();
    await inject(aPod('demo', { ownerReferences: [OWNER] }, spec), access);
    expect(access.asked[0]?.[0]).toEqual({
      username: `system:serviceaccount:team-a:${account}`,
      uid: '',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:team-a', 'system:authenticated'],
      extra: {},
    });
  });

  it('refuses whoever may not connect, without a word on whether the cluster is there', async () => {
    const access = new Access();
    access.isAllowed = false;
    for (const cluster of ['demo', 'ghost']) {
      const decision = await inject(aPod(cluster), access);
      expect(decision).toMatchObject({ allowed: false, reason: 'Forbidden' });
      expect(decision.findings.map(format)).toEqual([
        `${AT_LABEL}: Forbidden: 'ada' may not connect to DaskCluster '${cluster}' in namespace 'team-a'; it needs the verb 'connect' on daskclusters.gateway.dask.org there`,
      ]);
    }
  });

  it('warns of a cluster that is not there yet, and gives all the same', async () => {
    const decision = await inject(aPod('ghost'));
    expect(decision.findings.map((finding) => `${finding.level} ${format(finding)}`)).toEqual([
      `warning ${AT_LABEL}: Invalid value: "ghost": there is no such DaskCluster in namespace 'team-a'; the pod waits until there is`,
    ]);
    expect(decision).toMatchObject({ allowed: true, patch: [{}, {}, {}] });
  });

  it('says what the label may be', async () => {
    const access = new Access();
    const decision = await inject(aPod('a.b.c'), access);
    expect(decision).toMatchObject({ allowed: false, reason: 'Invalid' });
    expect(decision.findings.map(format)).toEqual([
      `${AT_LABEL}: Invalid value: "a.b.c": must be the name of a DaskCluster of this namespace, or '<namespace>.<name>' for one of another`,
    ]);
    expect(access.asked).toEqual([]);
  });

  it.each([
    [
      'a part of a cluster',
      aPod('demo', { labels: { [LABEL]: 'demo', 'gateway.dask.org/cluster': 'x' } }),
      AT_LABEL,
    ],
    [
      "a volume of the credentials' name with the token",
      aPod(
        'demo',
        {},
        {
          volumes: [
            { name: 'x' },
            { name: 'dask-credentials', secret: { secretName: 'dask-credentials-demo' } },
          ],
        },
      ),
      'spec.volumes[1].name',
    ],
    [
      'something else in its place',
      aPod(
        'demo',
        {},
        {
          containers: [
            { name: 'a' },
            { name: 'b', volumeMounts: [{ name: 'x', mountPath: '/etc/dask-credentials' }] },
          ],
        },
      ),
      'spec.containers[1].volumeMounts[0].mountPath',
    ],
  ])('refuses %s', async (_, pod, path) => {
    const decision = await inject(pod);
    expect(decision.allowed).toBe(false);
    expect(decision.findings.map((finding) => finding.path.toString())).toEqual([path]);
  });

  it('does nothing to pods without the label, and nothing where nothing is created', async () => {
    const access = new Access();
    expect(await inject(aPod('', { labels: {} }), access)).toEqual({
      allowed: true,
      findings: [],
      patch: [],
    });
    expect(await inject(aPod(), access, { operation: 'DELETE' })).toMatchObject({ allowed: true, patch: [] });
    expect(access.asked).toEqual([]);
  });

  it('rejects where the API server does not say', async () => {
    const { context } = new Access();
    const away = { ...context, mayDo: () => Promise.reject(new Error('away')) };
    await expect(connectPod(podRequest({ object: aPod() }), away)).rejects.toThrow('away');
  });

  it('judges pods alone', async () => {
    await expect(connectPod(aRequest({ object: aPod() }), new Access().context)).rejects.toThrow(BadRequest);
  });
});

describe('guardConnect', () => {
  it('lets pass what was injected, and patches nothing', async () => {
    const object = patched(aPod(), await inject(aPod()));
    const access = new Access();
    expect(await guard({ object }, access)).toEqual({ allowed: true, findings: [], patch: [] });
    access.isAllowed = false;
    expect(await guard({ object }, access)).toMatchObject({ allowed: false, reason: 'Forbidden' });
  });

  it('refuses a pod that the injection did not see', async () => {
    const decision = await guard({ object: aPod() });
    expect(decision).toMatchObject({ allowed: false, reason: 'Forbidden' });
    expect(decision.findings.map(format)).toEqual([
      `${AT_LABEL}: Forbidden: the volume 'dask-credentials' was not added or was taken out again; create the pod anew, or without the label`,
    ]);
  });

  it.each([
    ['set', aPod('', { labels: {} })],
    ['changed', aPod('other')],
  ])('refuses that the label is %s on a pod that exists', async (_, oldObject) => {
    const decision = await guard({ operation: 'UPDATE', object: aPod(), oldObject });
    expect(decision).toMatchObject({ allowed: false, reason: 'Forbidden' });
    expect(decision.findings.map(({ path }) => path.toString())).toEqual([AT_LABEL]);
  });

  it.each([
    ['other labels change', aPod('demo', { labels: { [LABEL]: 'demo', a: 'b' } }), aPod()],
    ['the label is taken away', aPod('', { labels: {} }), aPod()],
  ])('says nothing where %s', async (_, object, oldObject) => {
    const access = new Access();
    expect(await guard({ operation: 'UPDATE', object, oldObject }, access)).toMatchObject({ allowed: true });
    expect(access.asked).toEqual([]);
  });
});
