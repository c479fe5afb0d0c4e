import { describe, expect, it } from 'vitest';
import type { Pod, Volume } from '../../../../src/api/kubernetes.ts';
import { connectPatch, isConnectVolume } from '../../../../src/core/render/connect.ts';
import { applyJsonPatch } from '../../../support/json-patch.ts';

const TARGET = { namespace: 'team-a', cluster: 'demo', secretName: 'dask-connect-team-a.demo' };
const ITEMS = [
  { key: 'dask.crt', path: 'dask.crt' },
  { key: 'dask.pem', path: 'dask.pem' },
];
const MOUNT = { name: 'dask-credentials', mountPath: '/etc/dask-credentials', readOnly: true };
const ENVIRONMENT = [
  { name: 'DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION', value: 'True' },
  { name: 'DASK_DISTRIBUTED__COMM__TLS__CA_FILE', value: '/etc/dask-credentials/dask.crt' },
  { name: 'DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT', value: '/etc/dask-credentials/dask.crt' },
  { name: 'DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY', value: '/etc/dask-credentials/dask.pem' },
  { name: 'DASK_SCHEDULER_ADDRESS', value: 'tls://dask-demo.team-a:8786' },
];

function aPod(spec: Partial<Pod['spec']> = {}, labels: Record<string, string> = {}): Pod {
  return { metadata: { labels }, spec: { containers: [{ name: 'notebook', image: 'jupyter' }], ...spec } };
}

function connected(pod: Pod): Pod {
  return applyJsonPatch(pod, connectPatch(pod, TARGET));
}

describe('connectPatch', () => {
  it('gives certificate, key and environment, and never the token', () => {
    expect(connected(aPod()).spec).toEqual({
      volumes: [
        { name: 'dask-credentials', secret: { secretName: 'dask-connect-team-a.demo', items: ITEMS } },
      ],
      containers: [{ name: 'notebook', image: 'jupyter', volumeMounts: [MOUNT], env: ENVIRONMENT }],
    });
  });

  it('adds at the end of what is there, keeps what the user set, and does so once', () => {
    const own = { name: 'DASK_SCHEDULER_ADDRESS', value: 'tls://elsewhere:8786' };
    const home = { name: 'home', mountPath: '/home' };
    const pod = aPod({
      volumes: [{ name: 'home', emptyDir: {} }],
      containers: [{ name: 'notebook', env: [own], volumeMounts: [home] }],
    });
    const once = connected(pod);
    expect(once.spec.volumes?.map(({ name }) => name)).toEqual(['home', 'dask-credentials']);
    expect(once.spec.containers[0]?.volumeMounts).toEqual([home, MOUNT]);
    expect(once.spec.containers[0]?.env).toEqual([own, ...ENVIRONMENT.slice(0, 4)]);
    expect(connectPatch(once, TARGET)).toEqual([]);
  });

  it('serves every container, and no init container', () => {
    const { spec } = connected(
      aPod({
        containers: [{ name: 'a' }, { name: 'b' }],
        initContainers: [{ name: 'prepare' }],
      }),
    );
    expect(spec.containers.map(({ env }) => env)).toEqual([ENVIRONMENT, ENVIRONMENT]);
    expect(spec.initContainers).toEqual([{ name: 'prepare' }]);
  });

  it('mounts at its place what is mounted elsewhere only', () => {
    const elsewhere = { name: 'dask-credentials', mountPath: '/tls' };
    const { spec } = connected(aPod({ containers: [{ name: 'a', volumeMounts: [elsewhere] }] }));
    expect(spec.containers[0]?.volumeMounts).toEqual([elsewhere, MOUNT]);
  });

  it("leaves a cluster's own pods alone", () => {
    expect(connectPatch(aPod({}, { 'gateway.dask.org/cluster': 'demo' }), TARGET)).toEqual([]);
  });
});

describe('isConnectVolume', () => {
  const volume = (secret: unknown): Volume => ({ name: 'dask-credentials', secret }) as Volume;
  const { secretName } = TARGET;

  it('knows its own, also as the API server returns it', () => {
    expect(isConnectVolume(volume({ secretName, items: ITEMS, defaultMode: 420 }), secretName)).toBe(true);
    expect(isConnectVolume(volume({ secretName, items: ITEMS.toReversed() }), secretName)).toBe(true);
  });

  it.each([
    ['all keys', { secretName }],
    ['null for the keys', { secretName, items: null }],
    ['another Secret', { secretName: 'dask-credentials-demo', items: ITEMS }],
    ['the token too', { secretName, items: [...ITEMS, { key: 'api-token', path: 'api-token' }] }],
    [
      'the token under a name of ours',
      { secretName, items: [ITEMS[0], { key: 'api-token', path: 'dask.pem' }] },
    ],
    ['one key', { secretName, items: [ITEMS[0]] }],
    ['nothing for an item', { secretName, items: [...ITEMS, null] }],
    ['no Secret', undefined],
    ['a text', 'x'],
  ])('does not take %s for it', (_, secret) => {
    expect(isConnectVolume(volume(secret), secretName)).toBe(false);
  });
});
