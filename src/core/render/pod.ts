import type { DaskCluster, PodTemplate } from '../../api/dask-cluster.ts';
import type { Container, Pod, PodSpec } from '../../api/kubernetes.ts';
import {
  CONTAINER_LABEL,
  DASHBOARD_PORT,
  INCARNATION_LABEL,
  ROLE_COMPONENT,
  schedulerPodName,
  SCHEDULER_PORT,
  SLOT_LABEL,
  workerPodPrefix,
  type Role,
} from '../../api/names.ts';
import { daskContainerIndex } from '../dask-container.ts';
import { leavesCommand, schedulerArgs, workerArgs } from './command.ts';
import { WORKER_NAME_VARIABLE } from './environment.ts';
import { childLabels, type Installation } from './labels.ts';
import { identityOf, ownerReference, type Identity } from './owner.ts';
import { restartPolicyOf } from './restart-policy.ts';

/**
 * Every pod is rendered without its credentials: they are injected at admission, by the one function in
 * credentials.ts.
 */
export interface RenderedPod {
  readonly role: Role;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The scheduler's pod. Its name is the same in every incarnation, as the contract with dask-gateway has it. */
export function renderSchedulerPod(
  cluster: DaskCluster,
  installation: Installation,
  incarnation: number,
): Pod {
  const owner = identityOf(cluster);
  return renderPod(cluster.spec.scheduler?.template ?? {}, owner, {
    role: 'scheduler',
    name: schedulerPodName(owner.name),
    labels: {
      ...childLabels(installation, owner.name, ROLE_COMPONENT.scheduler),
      [INCARNATION_LABEL]: String(incarnation),
    },
  });
}

/**
 * A worker's pod.
 * @param slot number of the worker among all that this DaskCluster has ever had; it makes the name unique
 */
export function renderWorkerPod(
  cluster: DaskCluster,
  installation: Installation,
  { incarnation, slot }: { readonly incarnation: number; readonly slot: number },
): Pod {
  const owner = identityOf(cluster);
  return renderPod(cluster.spec.worker?.template ?? {}, owner, {
    role: 'worker',
    name: workerPodName(owner, slot),
    labels: {
      ...childLabels(installation, owner.name, ROLE_COMPONENT.worker),
      [INCARNATION_LABEL]: String(incarnation),
      [SLOT_LABEL]: String(slot),
    },
  });
}

/** Unique over the life of the DaskCluster and over a successor of the same name, whose UID differs. */
export function workerPodName(owner: Identity, slot: number): string {
  return `${workerPodPrefix(owner.name)}${owner.uid.replaceAll('-', '').slice(0, 8)}-${String(slot)}`;
}

function renderPod(template: PodTemplate, owner: Identity, rendered: RenderedPod): Pod {
  const spec: PodSpec = template.spec ?? { containers: [] };
  const index = daskContainerIndex(spec.containers, rendered.role);
  const dask = index === undefined ? undefined : spec.containers[index];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: rendered.name,
      namespace: owner.namespace,
      labels: { ...template.metadata?.labels, ...rendered.labels, ...containerLabel(dask) },
      ...(template.metadata?.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
      ownerReferences: [ownerReference(owner)],
    },
    spec: {
      ...spec,
      restartPolicy: restartPolicyOf(spec, rendered.role),
      // A namespace with thousands of Services would otherwise put each of them into every container's environment.
      enableServiceLinks: spec.enableServiceLinks ?? false,
      containers: spec.containers.map((container) =>
        container === dask ? renderDaskContainer(container, owner, rendered.role) : container,
      ),
    },
  };
}

function containerLabel(dask: Container | undefined): Readonly<Record<string, string>> {
  return dask === undefined ? {} : { [CONTAINER_LABEL]: dask.name };
}

function renderDaskContainer(container: Container, owner: Identity, role: Role): Container {
  const common: Container = {
    ...container,
    // The last lines of a failed container reach its status, where they outlive the pod.
    terminationMessagePolicy: container.terminationMessagePolicy || 'FallbackToLogsOnError',
  };
  if (role === 'scheduler') {
    const ownCommand = leavesCommand(container);
    return {
      ...common,
      ...(ownCommand ? { args: schedulerArgs() } : {}),
      readinessProbe: container.readinessProbe ?? schedulerProbe(ownCommand),
    };
  }
  const named = container.env?.some((variable) => variable.name === WORKER_NAME_VARIABLE.name) === true;
  return {
    ...common,
    ...(leavesCommand(container) ? { args: workerArgs(container, owner) } : {}),
    ...(named ? {} : { env: [...(container.env ?? []), WORKER_NAME_VARIABLE] }),
  };
}

/**
 * A TCP probe of the TLS port costs a warning in the scheduler's log each time, so our own command is asked for its
 * health over HTTP; of a user's command only the port is known.
 */
function schedulerProbe(ownCommand: boolean): NonNullable<Container['readinessProbe']> {
  const target = ownCommand
    ? { httpGet: { path: '/health', port: DASHBOARD_PORT } }
    : { tcpSocket: { port: SCHEDULER_PORT } };
  return { ...target, periodSeconds: 1, failureThreshold: 3 };
}
