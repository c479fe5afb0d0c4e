import type { Pod } from '../../api/kubernetes.ts';
import { credentialsPatch } from '../render/credentials.ts';
import { isObject } from '../structure/json.ts';

/** What the API server appends to `metadata.generateName`; here always the same. */
export const GENERATED_SUFFIX = 'xxxxx';

/** What the API server's admission of service accounts gives every pod that names none. */
const DEFAULT_SERVICE_ACCOUNT = 'default';

/**
 * A rendered pod as the API server stores it: with a name and a service account, and with what the webhook for pods
 * injects.
 * @param cluster name of the pod's DaskCluster
 */
export function asCreated(pod: Pod, cluster: string): Pod {
  const { name, generateName = '' } = pod.metadata;
  const named: Pod = {
    ...pod,
    metadata: { ...pod.metadata, name: name || `${generateName}${GENERATED_SUFFIX}` },
  };
  // Of another shape it is refused when it is decoded, before any webhook sees it.
  if (!isShaped(named)) return named;
  let created: unknown = { ...named, spec: withServiceAccount(named.spec) };
  for (const { path, op, ...rest } of credentialsPatch(named, cluster)) {
    const segments = path.split('/').slice(1);
    if (op === 'add' && 'value' in rest) created = withAdded(created, segments, rest.value);
  }
  return created as Pod;
}

/** `serviceAccount` is the field's old name, which Kubernetes reads where the new one is empty. */
function withServiceAccount(spec: Pod['spec']): Pod['spec'] {
  const { serviceAccountName, serviceAccount } = spec as {
    serviceAccountName?: unknown;
    serviceAccount?: unknown;
  };
  const isAbsent = (name: unknown): boolean => name === undefined || name === null || name === '';
  return isAbsent(serviceAccountName) && isAbsent(serviceAccount)
    ? { ...spec, serviceAccountName: DEFAULT_SERVICE_ACCOUNT }
    : spec;
}

/** A copy with a value added as RFC 6902 has it, at the end of a list or in an object; all else is shared. */
function withAdded(node: unknown, [segment = '', ...rest]: readonly string[], value: unknown): unknown {
  if (Array.isArray(node)) {
    const items: readonly unknown[] = node;
    if (segment === '-') return [...items, value];
    return items.map((item, index) => (index === Number(segment) ? withAdded(item, rest, value) : item));
  }
  const object = node as Readonly<Record<string, unknown>>;
  return { ...object, [segment]: rest.length === 0 ? value : withAdded(object[segment], rest, value) };
}

function isShaped({ spec }: Pod): boolean {
  const { containers, volumes }: { readonly containers: unknown; readonly volumes?: unknown } = spec;
  if (!Array.isArray(containers) || !isListOfObjects(containers) || !isListOfObjects(volumes)) return false;
  return containers.every(({ env, volumeMounts }) => isListOfObjects(env) && isListOfObjects(volumeMounts));
}

function isListOfObjects(
  value: unknown,
): value is readonly Readonly<Record<string, unknown>>[] | null | undefined {
  return value === undefined || value === null || (Array.isArray(value) && value.every(isObject));
}
