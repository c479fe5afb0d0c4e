import { randomBytes } from 'node:crypto';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import type { KubeObject, Pod, Service } from '../../../src/api/kubernetes.ts';
import { CredentialsLedger } from '../../../src/controller/credentials-ledger.ts';
import { DryRuns } from '../../../src/controller/dry-runs.ts';
import { Executor } from '../../../src/controller/execute.ts';
import { GatewayVerdicts } from '../../../src/controller/gateway-verdicts.ts';
import { Obstacles } from '../../../src/controller/obstacles.ts';
import { projectPod } from '../../../src/controller/projection.ts';
import { Reconciler } from '../../../src/controller/reconcile.ts';
import { StatusWriter } from '../../../src/controller/status-writer.ts';
import { Verdicts } from '../../../src/controller/verdicts.ts';
import { DEFAULT_SETTINGS } from '../../../src/core/plan/observed.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy/policy.ts';
import { credentialsPatch } from '../../../src/core/render/credentials.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import type { Occurrence } from '../../../src/kube/event.ts';
import { Expectations } from '../../../src/kube/expectations.ts';
import { Store } from '../../../src/kube/store.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { aCluster, at, type Stage } from '../../support/builders.ts';
import { applyJsonPatch } from '../../support/json-patch.ts';
import { recordedLog } from '../kube/recorded-log.ts';
import { ScriptedClient } from './scripted-client.ts';

const VALIDITY_MS = 365 * 24 * 3_600_000;

const { signal } = new AbortController();
const KEY = 'team-a/demo';
export const SECRET = 'secrets/dask-credentials-demo';
export const SCHEDULER = 'pods/dask-scheduler-demo';
export const WORKER = 'pods/dask-worker-demo-5f1e0c3a-';
export const STATUS = 'patch daskclusters/demo';

/** What the API server says of a pod with one fault. */
export function invalidPod(name: string, field: string): ApiError {
  const cause = { field, reason: 'FieldValueInvalid', message: 'Invalid value: "x": no' };
  return new ApiError({ method: 'POST', path: '/pods' }, 422, {
    reason: 'Invalid',
    message: `Pod "${name}" is invalid: ${field}: ${cause.message}`,
    details: { name, kind: 'Pod', causes: [cause] },
  });
}

/** The reconciler with all that belongs to it, but for the API server; its watches show what the test says. */
export class Bench {
  readonly client = new ScriptedClient();
  readonly events: Occurrence[] = [];
  elapsedMs = 0;
  private readonly stores = {
    clusters: new Store<DaskCluster>({ log: recordedLog().log }),
    pods: new Store<Pod>({ log: recordedLog().log, project: projectPod }),
    services: new Store<Service>({ log: recordedLog().log }),
  };
  private readonly reconciler: Reconciler;

  constructor() {
    const { client, stores } = this;
    const clock = { ...systemClock, monotonic: () => this.elapsedMs };
    const { installation } = DEFAULT_SETTINGS;
    const known = { policy: () => DEFAULT_POLICY, namespaceOf: () => undefined };
    const credentials = new CredentialsLedger({
      client,
      clock,
      randomBytes,
      installation,
      validityMs: () => VALIDITY_MS,
    });
    const expectations = new Expectations<Pod>({ store: stores.pods, clock });
    const obstacles = new Obstacles(clock);
    this.reconciler = new Reconciler({
      stores,
      credentials,
      expectations,
      obstacles,
      limits: { grantOf: () => undefined },
      events: { record: (occurrence) => void this.events.push(occurrence) },
      clock,
      settings: DEFAULT_SETTINGS,
      verdicts: new Verdicts(known),
      gatewayVerdicts: new GatewayVerdicts({ ...known, dryRuns: new DryRuns(client) }),
      statuses: new StatusWriter(client),
      executor: new Executor({ client, credentials, expectations, obstacles, log: recordedLog().log }),
    });
    this.inject();
  }

  inject(): void {
    this.client.admit = (object) =>
      object.kind === 'Pod'
        ? applyJsonPatch(object as Pod, credentialsPatch(object as Pod, 'demo') as never)
        : object;
  }

  /** What the watches show from now on is what is there. */
  show(): void {
    const of = (kind: string): KubeObject[] =>
      [...this.client.objects].filter(([key]) => key.startsWith(`${kind}/`)).map(([, object]) => object);
    const newest = String(
      1 + Math.max(0, ...of('pods').map(({ metadata }) => Number(metadata.resourceVersion))),
    );
    this.stores.clusters.replace(of('daskclusters') as DaskCluster[], newest);
    const pods = (of('pods') as Pod[]).map((pod) => this.stores.pods.prepare(structuredClone(pod)));
    this.stores.pods.replace(pods, newest);
    this.stores.services.replace(of('services') as Service[], newest);
  }

  /** Makes a pod of the cluster run, fail, or whatever stage it is to be at, and shows it. */
  stage(stage: Stage, key: string): void {
    const pod = this.client.objects.get(key) as Pod;
    this.client.put('pods', at(stage, pod));
    this.show();
  }

  /** @returns the next calls that it made, and when it wants to look again */
  async turn(): Promise<{ readonly calls: readonly string[]; readonly againMs: number | undefined }> {
    this.client.calls.length = 0;
    const againMs = await this.reconciler.reconcile(KEY, signal);
    return { calls: [...this.client.calls], againMs };
  }

  /** Turns until nothing is left to be done at once. */
  async settle(): Promise<void> {
    for (let turns = 0; turns < 10; turns += 1) {
      this.show();
      const { calls, againMs } = await this.turn();
      if (calls.length === 0 && againMs !== 0) return;
    }
    throw new Error(`it does not come to rest: ${this.client.calls.join(', ')}`);
  }

  /** A cluster whose scheduler and workers run. */
  async running(replicas: number): Promise<void> {
    this.client.put('daskclusters', aCluster({ replicas }));
    await this.settle();
    this.stage('running', SCHEDULER);
    await this.settle();
    for (let slot = 0; slot < replicas; slot += 1) this.stage('running', `${WORKER}${String(slot)}`);
    await this.settle();
  }

  change(change: Partial<DaskCluster['spec']>): void {
    const { metadata, spec, ...rest } = this.cluster;
    const generation = (metadata.generation ?? 0) + 1;
    this.client.put('daskclusters', {
      ...rest,
      metadata: { ...metadata, generation },
      spec: { ...spec, ...change },
    });
    this.show();
  }

  get cluster(): DaskCluster {
    return this.client.objects.get('daskclusters/demo') as DaskCluster;
  }
}
