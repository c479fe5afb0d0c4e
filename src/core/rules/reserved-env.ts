import type { EnvVar } from '../../api/kubernetes.ts';
import { cut, forbidden, type Finding } from '../findings.ts';
import { CREDENTIALS_ENVIRONMENT, WORKER_NAME_VARIABLE } from '../render/environment.ts';
import type { Rule, Subject } from './subject.ts';
import type { ContainerView } from './template-view.ts';

/** Variables with their one right value, which a template may repeat (an object read back from a cluster does). */
const RIGHT_VALUES: ReadonlyMap<string, EnvVar> = new Map(
  [...CREDENTIALS_ENVIRONMENT, WORKER_NAME_VARIABLE].map((variable) => [variable.name, variable]),
);

/** What dask-gateway's part of the contract sets. */
const GATEWAY_VARIABLES: ReadonlySet<string> = new Set([
  'DASK_GATEWAY_API_URL',
  'DASK_GATEWAY_CLUSTER_NAME',
  'DASK_GATEWAY_API_TOKEN',
  'DASK_GATEWAY_WORKER_NAME',
]);

/** Keys of Dask's configuration that make the connection secure. */
const RESERVED_CONFIGURATION = ['distributed.comm.tls', 'distributed.comm.require-encryption'];

/**
 * The variables that turn on mutual TLS and name the worker are daskwarden's. Dask folds the case of a variable, reads
 * `__` as `.` and `_` as `-`, and lets a parent (`DASK_DISTRIBUTED={…}`) replace all below it: every spelling of a
 * reserved key, of one below it and of one above it is refused. What a ConfigMap holds cannot be seen here; only a
 * `prefix` that makes all of it reserved can.
 */
export const reservedEnv: Rule = {
  id: 'reserved-env',
  check({ templates }: Subject): readonly Finding[] {
    return templates.flatMap(({ dask }) => (dask === undefined ? [] : ofContainer(dask)));
  },
};

function ofContainer(view: ContainerView): readonly Finding[] {
  return [...ofVariables(view), ...ofPrefixes(view)];
}

function ofVariables({ container, path }: ContainerView): readonly Finding[] {
  return (container.env ?? []).flatMap((variable, index) => {
    if (!isReserved(variable.name) || repeatsRightValue(variable)) return [];
    return [
      forbidden({
        rule: reservedEnv.id,
        path: path.child('env').index(index, variable.name).child('name'),
        value: variable.name,
        message: `'${cut(variable.name)}' changes what daskwarden sets for TLS and names; remove it`,
      }),
    ];
  });
}

function ofPrefixes({ container, path }: ContainerView): readonly Finding[] {
  return (container.envFrom ?? []).flatMap(({ prefix = '' }, index) => {
    const key = configurationKey(prefix);
    if (!RESERVED_CONFIGURATION.some((reserved) => key?.startsWith(`${reserved}.`))) return [];
    return [
      forbidden({
        rule: reservedEnv.id,
        path: path.child('envFrom').index(index).child('prefix'),
        value: prefix,
        message: `every variable that starts with '${cut(prefix)}' changes what daskwarden sets for TLS; remove this source`,
      }),
    ];
  });
}

function isReserved(name: string | undefined): boolean {
  if (name === undefined) return false;
  if (RIGHT_VALUES.has(name) || GATEWAY_VARIABLES.has(name)) return true;
  const key = configurationKey(name);
  if (key === undefined) return false;
  return RESERVED_CONFIGURATION.some(
    (reserved) => key === reserved || key.startsWith(`${reserved}.`) || reserved.startsWith(`${key}.`),
  );
}

/** The key of Dask's configuration that a variable sets, if it sets one. */
function configurationKey(name: string): string | undefined {
  if (!name.startsWith('DASK_')) return undefined;
  return name.slice('DASK_'.length).toLowerCase().replaceAll('__', '.').replaceAll('_', '-');
}

function repeatsRightValue(variable: EnvVar): boolean {
  const right = RIGHT_VALUES.get(variable.name);
  return (
    right !== undefined &&
    (variable.value || undefined) === right.value &&
    variable.valueFrom?.fieldRef?.fieldPath === right.valueFrom?.fieldRef?.fieldPath &&
    (variable.valueFrom === undefined) === (right.valueFrom === undefined)
  );
}
