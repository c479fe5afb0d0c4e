import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../src/api/kubernetes.ts';
import { CLUSTER_LABEL } from '../../src/api/names.ts';
import { installCrd } from '../../src/cli/demo/product.ts';
import { type ControlPlane, startControlPlane } from '../../src/control-plane/control-plane.ts';
import { ensureBinaries } from '../../src/control-plane/ensure-binaries.ts';
import { Controller } from '../../src/controller/controller.ts';
import { ControllerMetrics } from '../../src/controller/metrics.ts';
import { DEFAULT_SETTINGS } from '../../src/core/plan/observed.ts';
import { credentialsPatch } from '../../src/core/render/credentials.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { EventRecorder } from '../../src/kube/event-recorder.ts';
import { kubeconfigAccess } from '../../src/kube/kubeconfig.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createNamespace } from '../support/admin.ts';
import { applyJsonPatch } from '../support/json-patch.ts';
import { limitedTo } from '../support/limits.ts';
import { condition, LiveCluster } from '../support/live-cluster.ts';
import { poll } from '../support/poll.ts';
import { recordedLog } from '../unit/kube/recorded-log.ts';
import { SOON_MS } from '../support/soon.ts';

/** No webhook runs here that would refuse what is too much: pods get their credentials on the way to the API server. */
class InjectingClient extends KubeClient {
  override create<T extends object, Answer = T>(
    ...[resource, at, object, options]: Parameters<typeof KubeClient.prototype.create<T>>
  ): Promise<Answer> {
    if (resource.kind !== 'Pod') return super.create<T, Answer>(resource, at, object, options);
    const pod = object as unknown as Pod;
    const patch = credentialsPatch(pod, pod.metadata.labels?.[CLUSTER_LABEL] ?? '');
    return super.create<T, Answer>(resource, at, applyJsonPatch(object, patch), options);
  }
}

let plane: ControlPlane;
let client: InjectingClient;
let stop: () => Promise<void>;

/** A controller that holds every namespace to two clusters and four workers. */
function startController(): () => Promise<void> {
  const ending = new AbortController();
  const { log } = recordedLog();
  const reporter = { controller: 'test.example.org/controller', instance: 'test' };
  const events = new EventRecorder({ client, reporter, clock: systemClock, log });
  const policy = limitedTo({ namespace: { clusters: 2, workers: 4 } });
  const controller = new Controller({
    client,
    events,
    settings: DEFAULT_SETTINGS,
    policy: () => policy,
    parallelism: 4,
    clock: systemClock,
    random: Math.random,
    randomBytes,
    metrics: new ControllerMetrics(),
    log,
  });
  const running = Promise.all([controller.run(ending.signal), events.run(ending.signal)]);
  return async () => {
    ending.abort();
    await running;
  };
}

beforeAll(async () => {
  const options = { report: () => undefined, signal: new AbortController().signal, env: process.env };
  plane = await startControlPlane({ ...options, binaries: await ensureBinaries(options) });
  await installCrd({ kubectl: (args, more) => plane.kubectl(args, more) });
  const access = await kubeconfigAccess({ path: plane.kubeconfigPath });
  client = new InjectingClient({ access, version: 'test' });
  stop = startController();
});

afterAll(async () => {
  await stop();
  await client.close();
  await plane.stop();
});

/** Objects know their age in whole seconds. */
async function anotherSecond(): Promise<void> {
  const second = (): number => Math.floor(Date.now() / 1000);
  const now = second();
  await poll(
    'the next second',
    () => Promise.resolve(second()),
    (later) => later > now,
  );
}

describe('a cluster beyond the limits', () => {
  const untilWaiting = async (cluster: LiveCluster): Promise<string | undefined> => {
    const waiting = await cluster.until('to wait', (one) => condition(one, 'Limited')?.status === 'True');
    expect(waiting.status).toMatchObject({ phase: 'Pending' });
    expect(await cluster.children()).toEqual([]);
    return condition(waiting, 'Limited')?.message;
  };

  it('waits, through a restart of the controller too, and starts when another is deleted', async () => {
    const namespace = await createNamespace(client);
    const [first] = await Promise.all(
      ['first', 'second'].map((name) => LiveCluster.running(client, namespace, { name, replicas: 1 })),
    );
    const third = await LiveCluster.create(client, namespace, { name: 'third' });
    expect(await untilWaiting(third)).toBe(
      `namespace '${namespace}' may have at most 2 clusters, and this cluster asks for 1 cluster: it waits at position 1 until there is room`,
    );
    await third.untilEvent('WaitingForRoom');
    await stop();
    stop = startController();
    await anotherSecond();
    const fourth = await LiveCluster.create(client, namespace, { name: 'fourth' });
    expect(await untilWaiting(fourth)).toContain('at position 2');
    expect(await third.children()).toEqual([]);

    await first?.delete();
    const deletedAt = performance.now();
    await third.until('to be let in', (one) => condition(one, 'Limited')?.status === 'False');
    expect(performance.now() - deletedAt).toBeLessThan(SOON_MS);
    await third.untilReady();
    await fourth.until(
      'to be the first in line',
      (one) => condition(one, 'Limited')?.message.includes('at position 1') === true,
    );
    expect((await third.events()).filter(({ reason }) => reason === 'WaitingForRoom')).toHaveLength(1);
  });

  it('grows as far as there is room, and further when another shrinks', async () => {
    const namespace = await createNamespace(client);
    const other = await LiveCluster.running(client, namespace, { name: 'other', replicas: 2 });
    const growing = await LiveCluster.running(client, namespace, { name: 'growing', replicas: 1 });
    await growing.scale(3);
    const clamped = await growing.until('to be held back', ({ status }) => status?.workers?.running === 2);
    expect(condition(clamped, 'Limited')).toMatchObject({ status: 'True', reason: 'WorkersHeldBack' });
    expect(condition(clamped, 'Limited')?.message).toContain('there is room for 2 of the 3 workers');
    await other.scale(1);
    const grown = await growing.until('to have all', ({ status }) => status?.workers?.running === 3);
    expect(condition(grown, 'Limited')?.status).toBe('False');
  });
});
