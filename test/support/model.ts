import type { DaskCluster } from '../../src/api/dask-cluster.ts';
import type { Pod, Service } from '../../src/api/kubernetes.ts';
import type { Action } from '../../src/core/plan/action.ts';
import type { CredentialsState } from '../../src/core/plan/observed.ts';
import { DEFAULT_SETTINGS } from '../../src/core/plan/observed.ts';
import { plan, type Plan } from '../../src/core/plan/plan.ts';
import { anObserved, at } from './builders.ts';

/** An API server and a kubelet of one cluster, as far as a plan can tell: for property tests only. */
export interface World {
  readonly cluster: DaskCluster;
  readonly pods: readonly Pod[];
  readonly service: Service | undefined;
  readonly credentials: CredentialsState;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Every pod name that was ever posted. */
  readonly posted: readonly string[];
  readonly nextUid: number;
}

export function planOf(world: World): Plan {
  const { cluster, pods, service, credentials, now } = world;
  const observed = { ...anObserved(cluster), pods, service, credentials };
  return plan({ cluster, errors: [], observed, now, settings: DEFAULT_SETTINGS });
}

/**
 * Executes a plan as the controller does.
 * @param most crash after so many writes (the status is one of them)
 */
export function execute(
  world: World,
  { actions, status, statusFirst }: Plan,
  most = Number.POSITIVE_INFINITY,
): World {
  type Write = (before: World) => World;
  const storeStatus: Write = (before) => ({ ...before, cluster: { ...before.cluster, status } });
  const writes = actions.map(
    (action): Write =>
      (before) =>
        apply(before, action),
  );
  const ordered = statusFirst ? [storeStatus, ...writes] : [...writes, storeStatus];
  return ordered.slice(0, most).reduce((before, write) => write(before), world);
}

function apply(world: World, action: Action): World {
  switch (action.kind) {
    case 'create-credentials':
    case 'restore-credentials':
      return { ...world, credentials: { kind: 'present' } };
    case 'delete-credentials':
      return { ...world, credentials: { kind: 'absent' } };
    case 'create-service':
      return world.service === undefined ? createService(world, action.service) : world;
    case 'delete-service':
      return { ...world, service: undefined };
    case 'create-pod':
      return create(world, action.pod);
    case 'delete-pod':
      return {
        ...world,
        pods: world.pods.map((pod) =>
          pod.metadata.uid === action.target.uid ? at('terminating', pod) : pod,
        ),
      };
  }
}

function createService(world: World, service: Service): World {
  const metadata = { ...service.metadata, uid: `uid-${String(world.nextUid)}` };
  return { ...world, nextUid: world.nextUid + 1, service: { ...service, metadata } };
}

/** A name that is taken is refused, as the API server does; a name that is free is taken for ever. */
function create(world: World, pod: Pod): World {
  if (world.pods.some(({ metadata }) => metadata.name === pod.metadata.name)) return world;
  return {
    ...world,
    nextUid: world.nextUid + 1,
    posted: [...world.posted, pod.metadata.name ?? ''],
    pods: [...world.pods, at('unscheduled', pod, `uid-${String(world.nextUid)}`)],
  };
}

/** What the kubelet does in a quiet moment: terminating pods are gone, the others run. */
export function settle(world: World): World {
  const alive = world.pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  return {
    ...world,
    now: world.now + 60_000,
    pods: alive.map((pod) => (pod.status?.phase === 'Pending' ? at('running', pod) : pod)),
  };
}
