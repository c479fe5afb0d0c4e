import { formOf, type DaskCluster, type DaskClusterSpec } from '../../api/dask-cluster.ts';
import { INSTANCE_LABEL } from '../../api/names.ts';

/**
 * The part of a cluster that its pods are made from, and nothing else: pods that are rendered from it are equal where
 * it is equal. Replicas, status and everything that changes with each write are not in it.
 * @returns undefined where there are no pods to make
 */
export function podSource({ metadata, spec }: DaskCluster): DaskCluster | undefined {
  const part = sourceOf(spec);
  if (part === undefined) return undefined;
  const { name, generateName, namespace } = metadata;
  // dask-gateway's controller takes it over from the object; the other form does not.
  const instance = part.config && metadata.labels?.[INSTANCE_LABEL];
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(generateName !== undefined && { generateName }),
      ...(namespace !== undefined && { namespace }),
      ...(instance !== undefined && { labels: { [INSTANCE_LABEL]: instance } }),
    },
    spec: part,
  };
}

function sourceOf(spec: DaskClusterSpec): DaskClusterSpec | undefined {
  const form = formOf(spec);
  if (form === 'gateway' && spec.config) return { config: spec.config };
  const [scheduler, worker] = [spec.scheduler?.template, spec.worker?.template];
  if (form !== 'template' || (scheduler ?? worker) === undefined) return undefined;
  return {
    scheduler: scheduler ? { template: scheduler } : {},
    ...(worker && { worker: { template: worker } }),
  };
}
