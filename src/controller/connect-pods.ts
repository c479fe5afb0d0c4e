import { PODS, type KubeObject, type Pod } from '../api/kubernetes.ts';
import { CONNECT_LABEL } from '../api/names.ts';
import { parseConnectLabel, type ConnectTarget } from '../core/identity/connect-target.ts';
import { connectVolume, isConnectVolume } from '../core/render/connect.ts';
import { objectKey } from '../kube/object-key.ts';
import { Reflector, type ListerWatcher } from '../kube/reflector.ts';
import { Store } from '../kube/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';

/** What is kept of a pod that is a client of a cluster of another namespace. */
interface ClientPod extends KubeObject {
  /** Undefined for a pod that needs no copy: its cluster is here, it was not injected, or it has ended. */
  readonly target: ConnectTarget | undefined;
}

export interface ConnectPodsOptions {
  readonly client: ListerWatcher;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** Told which copy may be affected when a pod comes, changes or goes: `<namespace>/<secret>`. */
  readonly changed: (key: string, target: ConnectTarget) => void;
}

/** The pods that need a copy of a cluster's certificate in their namespace. */
export class ConnectPods {
  /** Resolves when the first list is there. */
  readonly synced: Promise<void>;
  private readonly store: Store<ClientPod, Pod>;
  private readonly reflector: Reflector<ClientPod, Pod>;

  constructor({ client, clock, random, log, changed }: ConnectPodsOptions) {
    this.store = new Store({
      log,
      project,
      indexes: {
        copy: (pod) => (pod.target === undefined ? [] : [copyKey(pod, pod.target)]),
        cluster: ({ target }) => (target === undefined ? [] : [`${target.namespace}/${target.cluster}`]),
      },
    });
    this.store.subscribe(({ object, old }) => {
      for (const pod of old === undefined ? [object] : [old, object]) {
        if (pod.target !== undefined) changed(copyKey(pod, pod.target), pod.target);
      }
    });
    this.reflector = new Reflector<ClientPod, Pod>({
      client,
      resource: PODS,
      select: { labelSelector: CONNECT_LABEL },
      store: this.store,
      log,
      clock,
      random,
    });
    this.synced = this.reflector.synced;
  }

  /** Follows the pods until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.reflector.run(signal);
  }

  /** The clients that a copy is for. */
  of(key: string): readonly KubeObject[] {
    return this.store.byIndex('copy', key);
  }

  /** The copies that there must be of a cluster's certificate. */
  copiesOf(cluster: KubeObject): ReadonlyMap<string, ConnectTarget> {
    const pods = this.store.byIndex('cluster', objectKey(cluster));
    return new Map(
      pods.flatMap((pod) => (pod.target === undefined ? [] : [[copyKey(pod, pod.target), pod.target]])),
    );
  }
}

/**
 * Only a pod that was injected passed the review: the label alone may be older than the webhook.
 */
function project({ metadata, spec, status }: Pod): ClientPod {
  const { name, namespace = '', uid, resourceVersion, labels } = metadata;
  const target = parseConnectLabel(labels?.[CONNECT_LABEL] ?? '', namespace);
  const volume = connectVolume({ metadata, spec });
  const isInjected =
    target !== undefined && volume !== undefined && isConnectVolume(volume, target.secretName);
  const hasEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  const needsCopy = isInjected && target.namespace !== namespace && !hasEnded;
  return {
    metadata: {
      namespace,
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    target: needsCopy ? target : undefined,
  };
}

function copyKey({ metadata }: KubeObject, { secretName }: ConnectTarget): string {
  return `${metadata.namespace ?? ''}/${secretName}`;
}
