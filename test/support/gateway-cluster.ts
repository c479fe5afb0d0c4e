import type { DaskCluster } from '../../src/api/dask-cluster.ts';
import { INSTANCE_LABEL } from '../../src/api/names.ts';
import { aCluster, IMAGE } from './builders.ts';

/** A cluster as dask-gateway's API server writes it, with these keys of its configuration. */
export function aGatewayCluster(config: Readonly<Record<string, unknown>> = {}): DaskCluster {
  const { metadata, ...cluster } = aCluster({ metadata: { labels: { [INSTANCE_LABEL]: 'prod' } } });
  const spec = { username: 'alice', options: {}, config: { image: IMAGE, ...config } };
  return { ...cluster, metadata, spec };
}
