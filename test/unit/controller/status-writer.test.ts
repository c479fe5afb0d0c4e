import { beforeEach, describe, expect, test } from 'vitest';
import type { DaskCluster, DaskClusterStatus } from '../../../src/api/dask-cluster.ts';
import { StatusWriter } from '../../../src/controller/status-writer.ts';
import { aCluster, aRunningStatus } from '../../support/builders.ts';
import { ScriptedClient } from './scripted-client.ts';

const { signal } = new AbortController();
let client: ScriptedClient;
let writer: StatusWriter;

beforeEach(() => {
  client = new ScriptedClient();
  writer = new StatusWriter(client);
});

function stored(status?: DaskClusterStatus): DaskCluster {
  return client.put('daskclusters', aCluster(status === undefined ? {} : { status }));
}

function current(): DaskCluster | undefined {
  return client.objects.get('daskclusters/demo') as DaskCluster | undefined;
}

describe('a status', () => {
  test('is written over the version that it was made from, and answered as stored', async () => {
    const cluster = stored();
    const answer = await writer.write(cluster, aRunningStatus(), signal);
    expect(current()?.status).toEqual(aRunningStatus());
    expect(answer.metadata.resourceVersion).toBe(current()?.metadata.resourceVersion);
  });

  test('that is the same is not written', async () => {
    const cluster = stored(aRunningStatus());
    expect(await writer.write(cluster, aRunningStatus(), signal)).toBe(cluster);
    expect(client.calls).toEqual([]);
  });

  test('is not written over a version that somebody else made meanwhile', async () => {
    const cluster = stored();
    client.put('daskclusters', { ...cluster, spec: { ...cluster.spec, active: false } });
    await expect(writer.write(cluster, aRunningStatus(), signal)).rejects.toMatchObject({ code: 409 });
    expect(current()?.status).toBeUndefined();
  });

  test('loses what the plan leaves out, and keeps what it does not know', async () => {
    const theirs = { ingressroute: 'route', completionTime: '2026-01-01T00:00:00Z', service: 'dask-demo' };
    const cluster = stored({ ...aRunningStatus(), ...theirs });
    await writer.write(cluster, aRunningStatus({ phase: 'Pending' }), signal);
    expect(current()?.status).toEqual({
      ...aRunningStatus({ phase: 'Pending' }),
      ingressroute: 'route',
    });
  });
});

describe('the newest version', () => {
  test('is what the watch shows, where nothing was written', () => {
    const cluster = stored();
    expect(writer.newest(cluster)).toBe(cluster);
  });

  test('is what was written last, as long as the watch shows any version before it', async () => {
    const first = stored();
    const second = await writer.write(first, aRunningStatus({ incarnation: 2 }), signal);
    expect(writer.newest(first).status?.incarnation).toBe(2);
    const third = await writer.write(writer.newest(first), aRunningStatus({ incarnation: 3 }), signal);
    // The watch is late: it shows the first, then the second write.
    expect(writer.newest(first).metadata.resourceVersion).toBe(third.metadata.resourceVersion);
    expect(writer.newest(second).status?.incarnation).toBe(3);
  });

  test('is what the watch shows, once that is beyond what was written', async () => {
    const first = stored();
    await writer.write(first, aRunningStatus(), signal);
    const later = client.put('daskclusters', current()!);
    expect(writer.newest(later)).toBe(later);
    expect(writer.newest(first)).toBe(first);
  });

  test('is forgotten with the cluster', async () => {
    const first = stored();
    await writer.write(first, aRunningStatus(), signal);
    writer.forget(first.metadata.uid!);
    expect(writer.newest(first)).toBe(first);
  });

  test('is kept without the bookkeeping of the API server', async () => {
    const cluster = stored();
    const managed = {
      ...cluster,
      metadata: { ...cluster.metadata, managedFields: [{ manager: 'kubectl' }] },
    };
    client.objects.set('daskclusters/demo', managed);
    await writer.write(cluster, aRunningStatus(), signal);
    expect(writer.newest(cluster).metadata).not.toHaveProperty('managedFields');
  });
});
