import {
  CREDENTIALS_MOUNT_PATH,
  CREDENTIALS_VOLUME,
  DASHBOARD_PORT,
  GATEWAY_API_PORT,
  ROLE_COMPONENT,
  SCHEDULER_PORT,
  type Role,
} from '../../../api/names.ts';
import { schedulerArgs, workerArgs, type ClusterName } from './command.ts';
import { GatewayConfig } from './config.ts';
import { coresText } from './cores.ts';
import { environmentOf, withWorkerName } from './environment.ts';
import { fields, items, made, merge, type Traced } from './traced.ts';

const PORTS = [
  { name: 'scheduler', containerPort: SCHEDULER_PORT },
  { name: 'dashboard', containerPort: DASHBOARD_PORT },
  { name: 'api', containerPort: GATEWAY_API_PORT },
];

/** dask-gateway's own asks every 5 s and gives up after 3: as patient, but a cluster starts up to 5 s sooner. */
const READINESS = {
  httpGet: { port: GATEWAY_API_PORT, path: '/api/health' },
  periodSeconds: 1,
  failureThreshold: 15,
};

/** The container that runs Dask, with what the configuration adds to it. */
export function containerOf(config: GatewayConfig, role: Role, owner: ClusterName, apiUrl: string): Traced {
  const environment = environmentOf(config, owner, apiUrl);
  const isWorker = role === 'worker';
  const key = `${role}_extra_container_config`;
  const container = fields({
    name: made(ROLE_COMPONENT[role]),
    image: config.image(),
    args: isWorker ? workerArgs(config, owner) : schedulerArgs(config),
    env: isWorker ? withWorkerName(environment) : items(environment),
    resources: resourcesOf(config, role),
    volumeMounts: made([
      { name: CREDENTIALS_VOLUME, mountPath: `${CREDENTIALS_MOUNT_PATH}/`, readOnly: true },
    ]),
    ports: made(PORTS),
    imagePullPolicy: config.imagePullPolicy(),
    readinessProbe: isWorker ? undefined : made(READINESS),
  });
  return merge(container, config.objectOf(key), GatewayConfig.at(key));
}

function resourcesOf(config: GatewayConfig, role: Role): Traced {
  const { cores, coresLimit, memory, memoryLimit } = config.resourcesOf(role);
  return fields({
    requests: fields({
      cpu: made(coresText(cores.value), cores.at),
      memory: made(String(memory.value), memory.at),
    }),
    limits: fields({
      cpu: made(coresText(coresLimit.value), coresLimit.at),
      memory: made(String(memoryLimit.value), memoryLimit.at),
    }),
  });
}
