import { DASK_CLUSTER_KIND, GATEWAY_GROUP } from '../../api/names.ts';
import { isObject } from '../../core/structure/json.ts';
import type { Manifest } from './manifest.ts';

/** Lists of lists are nobody's; beyond this depth nothing is looked for. */
const DEEPEST_LIST = 4;

/** The DaskClusters that a document is or holds; whatever else is in it is passed over. */
export function daskClustersIn(manifest: Manifest, depth = 0): readonly Manifest[] {
  const { object } = manifest;
  if (!isObject(object)) return [];
  const { apiVersion, kind } = object;
  if (typeof kind === 'string' && kind.endsWith('List') && depth < DEEPEST_LIST) {
    return manifest.items().flatMap((item) => daskClustersIn(item, depth + 1));
  }
  const isOurs = typeof apiVersion === 'string' && apiVersion.startsWith(`${GATEWAY_GROUP}/`);
  return kind === DASK_CLUSTER_KIND && isOurs ? [manifest] : [];
}
