import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { CustomResourceDefinition } from '../../crds/dask-cluster-crd.ts';
import { DASK_CLUSTERS } from '../../src/api/dask-cluster.ts';
import type { Resource } from '../../src/api/kubernetes.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { ApiError } from '../../src/kube/errors.ts';
import { kubectl, kubectlOk } from './kubectl.ts';
import { poll } from './poll.ts';

const file = join(import.meta.dirname, '../../crds/daskclusters.yaml');

export const CRD = parse(readFileSync(file, 'utf8')) as CustomResourceDefinition;

/** The same kind in another group, where neither webhook nor controller look: what the schema alone says is seen. */
export function crdInGroup(group: string): CustomResourceDefinition {
  const { shortNames: _, ...names } = CRD.spec.names;
  return {
    ...CRD,
    metadata: { name: `${DASK_CLUSTERS.plural}.${group}` },
    spec: { ...CRD.spec, group, names },
  };
}

export function resourceInGroup(group: string): Resource {
  return { ...DASK_CLUSTERS, group };
}

/** Applies a definition, by the client, and waits until its objects are served. @returns what kubectl said. */
export async function applyCrd(client: KubeClient, definition: object, resource: Resource): Promise<string> {
  const said = await kubectlOk(['apply', '-f', '-'], { input: JSON.stringify(definition) });
  const name = `${resource.plural}.${resource.group}`;
  const type = 'jsonpath={.status.conditions[?(@.type=="Established")].status}';
  await poll(
    `${name} to be established`,
    () => kubectl(['get', 'crd', name, '-o', type]),
    ({ stdout }) => stdout === 'True',
  );
  await poll(
    `${name} to be served`,
    () => client.list(resource).then(() => true),
    (served) => served,
  );
  return said;
}

/** The causes of a refusal, one line each; none when the call succeeds. */
export async function causesOf(call: Promise<unknown>): Promise<string[]> {
  try {
    await call;
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || !error.details?.causes) throw error;
    return error.details.causes
      .map(({ field, message }) => `${field ?? ''}: ${message ?? ''}`)
      .filter((line) => !line.includes('some validation rules were not checked'));
  }
}
