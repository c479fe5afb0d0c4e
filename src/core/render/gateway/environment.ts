import { CREDENTIALS_ENVIRONMENT, API_TOKEN_FILE } from '../environment.ts';
import type { ClusterName } from './command.ts';
import { GatewayConfig } from './config.ts';
import { fields, items, made, type Traced, written } from './traced.ts';

/** Variable of a worker with the name of its pod, which is its name in Dask too. */
export const GATEWAY_WORKER_NAME = 'DASK_GATEWAY_WORKER_NAME';

/** What dask-gateway sets of the variables that turn on TLS; the others come with the credentials, at admission. */
const TLS_VARIABLES = CREDENTIALS_ENVIRONMENT.filter(({ name }) =>
  /__(CA_FILE|(SCHEDULER|WORKER)__\w+)$/.test(name),
);

/** The configuration's variables, in their order, with ours in place of those that have a name of ours. */
export function environmentOf(
  config: GatewayConfig,
  { name, namespace }: ClusterName,
  apiUrl: string,
): Traced[] {
  const variables = new Map<string, Traced>();
  for (const [variable, value] of Object.entries(config.objectOf('environment'))) {
    const at = [...GatewayConfig.at('environment'), variable];
    variables.set(variable, fields({ name: made(variable, at), value: written(value, at) }, at));
  }
  const own = {
    DASK_GATEWAY_API_URL: apiUrl,
    DASK_GATEWAY_CLUSTER_NAME: `${namespace}.${name}`,
    DASK_GATEWAY_API_TOKEN: API_TOKEN_FILE,
    ...Object.fromEntries(TLS_VARIABLES.map((variable) => [variable.name, variable.value])),
  };
  for (const [variable, value] of Object.entries(own))
    variables.set(variable, made({ name: variable, value }));
  return [...variables.values()];
}

export function withWorkerName(environment: readonly Traced[]): Traced {
  const variable = { name: GATEWAY_WORKER_NAME, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } };
  return items([...environment, made(variable)]);
}
