import type { DaskCluster } from '../../../api/dask-cluster.ts';
import type { Role } from '../../../api/names.ts';
import { isObject, type JsonObject } from '../../structure/json.ts';
import { made, type Segments, type Traced, written } from './traced.ts';

/** Of dask-gateway's own defaults, for a cluster that somebody made by hand with a part of the keys. */
const DEFAULT_IMAGE = 'daskgateway/dask-gateway:latest';
const DEFAULT_CORES = 1;
const DEFAULT_MEMORY_BYTES = 2 * 1024 ** 3;
const DEFAULT_ADAPTIVE_PERIOD_SECONDS = 3;
const DEFAULT_IDLE_TIMEOUT_SECONDS = 0;

/** A number and the key that says it: a limit that is not there is its request. */
interface Amount {
  readonly value: number;
  readonly at: Segments | undefined;
}

export interface RoleResources {
  readonly cores: Amount;
  readonly coresLimit: Amount;
  /** In bytes, as is the limit. */
  readonly memory: Amount;
  readonly memoryLimit: Amount;
}

/**
 * `spec.config` as dask-gateway's API server writes it, read key by key. A key that is absent, null or of the wrong
 * type has dask-gateway's default, so that whatever is stored gives pods.
 */
export class GatewayConfig {
  private readonly config: JsonObject;

  constructor({ spec }: DaskCluster) {
    this.config = spec.config ?? {};
  }

  /** Where a key stands in the DaskCluster. */
  static at(key: string): Segments {
    return ['spec', 'config', key];
  }

  image(): Traced {
    const { image } = this.config;
    const at = GatewayConfig.at('image');
    return typeof image === 'string' ? written(image, at) : made(DEFAULT_IMAGE, at);
  }

  /** Undefined where it is left to Kubernetes. */
  imagePullPolicy(): Traced | undefined {
    const { image_pull_policy: policy } = this.config;
    if (typeof policy !== 'string' || policy === '') return undefined;
    return written(policy, GatewayConfig.at('image_pull_policy'));
  }

  objectOf(key: string): JsonObject {
    const value = this.config[key];
    return isObject(value) ? value : {};
  }

  listOf(key: string): readonly unknown[] | undefined {
    const value = this.config[key];
    return Array.isArray(value) ? value : undefined;
  }

  resourcesOf(role: Role): RoleResources {
    const amount = (key: string, otherwise: Amount): Amount => this.amountOf(`${role}_${key}`) ?? otherwise;
    const cores = amount('cores', { value: DEFAULT_CORES, at: undefined });
    const memory = amount('memory', { value: DEFAULT_MEMORY_BYTES, at: undefined });
    return {
      cores,
      coresLimit: amount('cores_limit', cores),
      memory,
      memoryLimit: amount('memory_limit', memory),
    };
  }

  threads(): Amount {
    const given = this.amountOf('worker_threads');
    if (given !== undefined && given.value !== 0) return given;
    const { value, at } = this.resourcesOf('worker').cores;
    return { value: Math.max(Math.trunc(value), 1), at };
  }

  adaptivePeriodSeconds(): Amount {
    return this.amountOf('adaptive_period') ?? { value: DEFAULT_ADAPTIVE_PERIOD_SECONDS, at: undefined };
  }

  idleTimeoutSeconds(): Amount {
    return this.amountOf('idle_timeout') ?? { value: DEFAULT_IDLE_TIMEOUT_SECONDS, at: undefined };
  }

  private amountOf(key: string): Amount | undefined {
    const value = this.config[key];
    return typeof value === 'number' ? { value, at: GatewayConfig.at(key) } : undefined;
  }
}
