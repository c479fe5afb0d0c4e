import type { Resource } from '../api/kubernetes.ts';

/** One object of a resource, or one of its subresources. */
export interface ObjectAddress {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly subresource?: string | undefined;
}

/** All objects of a resource: of one namespace, or of every one when it is absent. */
export type CollectionAddress = Omit<ObjectAddress, 'name'> & { readonly name?: string | undefined };

/** The URL path of an object or a collection. Throws a RangeError for a name that is no single path segment. */
export function resourcePath(resource: Resource, address: CollectionAddress): string {
  const root =
    resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const { namespace, name, subresource } = address;
  if (resource.namespaced && name !== undefined && namespace === undefined) {
    throw new RangeError(
      `${resource.kind} ${name}: namespace: must be given, ${resource.plural} are namespaced`,
    );
  }
  const segments = [
    ...(resource.namespaced && namespace !== undefined ? ['namespaces', namespace] : []),
    resource.plural,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return `${root}/${segments.map((segment) => encodeSegment(resource, segment)).join('/')}`;
}

/** Kubernetes' own rule for what may stand in a path; anything else would address another object. */
function encodeSegment(resource: Resource, segment: string): string {
  if (segment === '' || segment === '.' || segment === '..' || /[/%]/.test(segment)) {
    throw new RangeError(
      `${resource.kind}: '${segment}' may not be a name: must not be empty, '.' or '..', nor contain '/' or '%'`,
    );
  }
  return encodeURIComponent(segment);
}

export type QueryValue = string | number | boolean | undefined;

/** `?a=1&b=x`, or nothing; absent values are left out. */
export function queryString(query: Readonly<Record<string, QueryValue>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}
