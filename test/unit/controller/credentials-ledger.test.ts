import { randomBytes, X509Certificate } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import type { KubeObject, Secret } from '../../../src/api/kubernetes.ts';
import type { CredentialsState } from '../../../src/core/plan/observed.ts';
import { identityOf, ownerReference } from '../../../src/core/render/owner.ts';
import { CredentialsLedger } from '../../../src/controller/credentials-ledger.ts';
import { NameStillTaken } from '../../../src/controller/name-still-taken.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { aCluster, aRunningStatus } from '../../support/builders.ts';
import { refusal, ScriptedClient } from './scripted-client.ts';

const VALIDITY_MS = 90 * 24 * 3_600_000;

const { signal } = new AbortController();
const KEY = 'secrets/dask-credentials-demo';
const LOOK_UP = `get ${KEY}`;
const fresh = aCluster();
/** As an earlier process left it. */
const known = aCluster({ status: aRunningStatus() });
const successor = aCluster({ uid: '5f1e0c3a-0000-4000-8000-000000000002' });

let client: ScriptedClient;
let elapsedMs: number;
let ledger: CredentialsLedger;

function anew(): CredentialsLedger {
  const clock = { ...systemClock, monotonic: () => elapsedMs };
  return new CredentialsLedger({
    client,
    clock,
    randomBytes,
    installation: { instance: 'daskwarden' },
    validityMs: () => VALIDITY_MS,
  });
}

beforeEach(() => {
  client = new ScriptedClient();
  elapsedMs = 0;
  ledger = anew();
});

const stateOf = (cluster: DaskCluster, maxAgeMs?: number): Promise<CredentialsState> =>
  ledger.stateOf(cluster, signal, maxAgeMs);
const stored = (): Secret | undefined => client.objects.get(KEY);
const foreign = (): KubeObject => client.put('secrets', { metadata: { name: 'dask-credentials-demo' } });

describe('credentials', () => {
  test('are absent without a look, where nobody ever heard of any', async () => {
    expect(await stateOf(fresh)).toEqual({ kind: 'absent' });
    expect(client.calls).toEqual([]);
  });

  test('are made as a Secret that the cluster owns, and believed to be there', async () => {
    await ledger.create(fresh, signal);
    expect(stored()).toMatchObject({
      type: 'Opaque',
      metadata: {
        labels: { 'app.kubernetes.io/component': 'credentials', 'gateway.dask.org/cluster': 'demo' },
        ownerReferences: [ownerReference(identityOf(fresh))],
      },
    });
    expect(Object.keys(stored()?.data ?? {})).toEqual(['dask.crt', 'dask.pem', 'api-token']);
    expect(await stateOf(fresh)).toEqual({ kind: 'present' });
    expect(client.calls).toEqual([`create ${KEY}`]);
  });

  test('are valid for as long as is configured', async () => {
    await ledger.create(fresh, signal);
    const pem = Buffer.from(stored()?.data?.['dask.crt'] ?? '', 'base64');
    const { validToDate } = new X509Certificate(pem);
    expect(Math.round((validToDate.getTime() - Date.now()) / 60_000)).toBe(VALIDITY_MS / 60_000);
  });

  test('are taken over where the answer was lost', async () => {
    client.fail(`create ${KEY}`, 'lost-answer');
    await expect(ledger.create(fresh, signal)).rejects.toThrow('reset');
    const first = stored();
    await ledger.create(fresh, signal);
    expect(stored()).toBe(first);
    expect(await stateOf(fresh)).toEqual({ kind: 'present' });
  });

  test('are taken over by a process that was started after they were made', async () => {
    await ledger.create(fresh, signal);
    ledger = anew();
    expect(await stateOf(known)).toEqual({ kind: 'present' });
    await client.delete({ plural: 'secrets' } as never, { name: 'dask-credentials-demo' });
    expect(await stateOf(known, 0)).toEqual({ kind: 'lost', restorable: true });
  });

  test('are looked for every ten minutes, and sooner where that is asked for', async () => {
    await ledger.create(fresh, signal);
    client.calls.length = 0;
    elapsedMs = 599_999;
    await stateOf(fresh);
    expect(client.calls).toEqual([]);
    await stateOf(fresh, 5_000);
    expect(client.calls).toEqual([LOOK_UP]);
    elapsedMs += 600_000;
    await stateOf(fresh);
    expect(client.calls).toEqual([LOOK_UP, LOOK_UP]);
  });

  test('that were deleted are put back as they were', async () => {
    await ledger.create(fresh, signal);
    const before = stored();
    client.objects.delete(KEY);
    expect(await stateOf(fresh, 0)).toEqual({ kind: 'lost', restorable: true });
    await ledger.restore(fresh, signal);
    expect(stored()?.data).toEqual(before?.data);
    expect(stored()?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(await stateOf(fresh)).toEqual({ kind: 'present' });
  });

  test('are lost for good where nobody remembers them', async () => {
    expect(await stateOf(known)).toEqual({ kind: 'lost', restorable: false });
    await expect(ledger.restore(known, signal)).rejects.toThrow(
      'Secret dask-credentials-demo: its bytes are not known',
    );
  });

  test('are not taken for lost when the API server does not answer', async () => {
    await ledger.create(fresh, signal);
    client.fail(LOOK_UP, refusal(500, 'InternalError'));
    await expect(stateOf(fresh, 0)).rejects.toThrow('InternalError');
    expect(await stateOf(fresh)).toEqual({ kind: 'present' });
  });
});

describe("a Secret of somebody else's", () => {
  test('is neither taken over nor removed', async () => {
    const theirs = foreign();
    await expect(ledger.create(fresh, signal)).rejects.toThrow(NameStillTaken);
    expect(await stateOf(fresh)).toEqual({ kind: 'foreign' });
    await ledger.delete(fresh, signal);
    expect(stored()).toBe(theirs);
  });

  test('is looked for again soon; when it is gone there is nothing to miss', async () => {
    foreign();
    await expect(ledger.create(fresh, signal)).rejects.toThrow(NameStillTaken);
    client.objects.delete(KEY);
    elapsedMs = 999;
    expect(await stateOf(fresh)).toEqual({ kind: 'foreign' });
    elapsedMs = 1_000;
    expect(await stateOf(fresh)).toEqual({ kind: 'absent' });
  });

  test('in the place of ours does not make us forget the bytes', async () => {
    await ledger.create(fresh, signal);
    const before = stored();
    client.objects.delete(KEY);
    foreign();
    expect(await stateOf(fresh, 0)).toEqual({ kind: 'foreign' });
    await expect(ledger.restore(fresh, signal)).rejects.toThrow(NameStillTaken);
    client.objects.delete(KEY);
    expect(await stateOf(fresh, 0)).toEqual({ kind: 'lost', restorable: true });
    await ledger.restore(fresh, signal);
    expect(stored()?.data).toEqual(before?.data);
  });

  test('may be what is left of a deleted cluster of the same name, and is told apart', async () => {
    await ledger.create(fresh, signal);
    ledger = anew();
    await expect(ledger.create(successor, signal)).rejects.toThrow(NameStillTaken);
    expect(await stateOf(successor)).toEqual({ kind: 'leftover' });
  });
});

describe('the removal', () => {
  test('takes the very Secret, and its absence is no loss then', async () => {
    await ledger.create(fresh, signal);
    await ledger.delete(fresh, signal);
    expect(stored()).toBeUndefined();
    client.calls.length = 0;
    expect(await stateOf(known)).toEqual({ kind: 'absent' });
    expect(client.calls).toEqual([]);
  });

  test('is done after a restart too', async () => {
    await ledger.create(fresh, signal);
    ledger = anew();
    await ledger.delete(known, signal);
    expect(stored()).toBeUndefined();
  });

  test('leaves a Secret that took its place, and does not mind one that is gone', async () => {
    await ledger.create(fresh, signal);
    client.objects.delete(KEY);
    await ledger.delete(fresh, signal);
    await ledger.create(fresh, signal);
    client.objects.delete(KEY);
    const theirs = foreign();
    await ledger.delete(fresh, signal);
    expect(stored()).toBe(theirs);
  });

  test('fails where the API server refuses it', async () => {
    await ledger.create(fresh, signal);
    client.fail(`delete ${KEY}`, refusal(500, 'InternalError'));
    await expect(ledger.delete(fresh, signal)).rejects.toThrow('InternalError');
    await ledger.delete(fresh, signal);
    expect(stored()).toBeUndefined();
  });
});
