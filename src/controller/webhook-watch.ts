import type { KubeObject, Resource } from '../api/kubernetes.ts';
import { type ListerWatcher, Reflector } from '../kube/reflector.ts';
import { Store } from '../kube/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';

export interface WatchDependencies {
  readonly client: ListerWatcher;
  readonly clock: Clock;
  readonly log: Logger;
  /** From 0 to 1; absent means `Math.random`. */
  readonly random?: () => number;
}

/** A watch of one object, for which the right to its name suffices. It only tells that something changed. */
export function watchObject(
  { client, clock, log, random = Math.random }: WatchDependencies,
  resource: Resource,
  { name, namespace }: { readonly name: string; readonly namespace?: string },
  changed: () => void,
): Reflector<KubeObject> {
  const store = new Store<KubeObject>({ log, project: identityOf });
  store.subscribe(changed);
  const select = {
    fieldSelector: `metadata.name=${name}`,
    ...(namespace === undefined ? {} : { namespace }),
  };
  return new Reflector({ client, resource, select, store, clock, log, random });
}

/** Nothing of the content is kept: a private key least of all. */
function identityOf({ metadata: { name, namespace, uid, resourceVersion } }: KubeObject): KubeObject {
  return {
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}
