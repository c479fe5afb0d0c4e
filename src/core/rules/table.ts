import { daskContainer } from './dask-container.ts';
import { foreignCredentials } from './foreign-credentials.ts';
import { mountPaths } from './mount-paths.ts';
import { names } from './names.ts';
import { ports } from './ports.ts';
import { requestOverLimit } from './request-over-limit.ts';
import { reservedEnv } from './reserved-env.ts';
import { reservedLabels } from './reserved-labels.ts';
import { reservedVolume } from './reserved-volume.ts';
import { restartPolicy } from './restart-policy.ts';
import type { Rule } from './subject.ts';
import { tlsOptions } from './tls-options.ts';

/** Every rule of the product, in the order in which its findings are reported. docs/rules.md describes each. */
export const RULES: readonly Rule[] = [
  names,
  reservedLabels,
  daskContainer,
  reservedVolume,
  mountPaths,
  reservedEnv,
  tlsOptions,
  foreignCredentials,
  ports,
  restartPolicy,
  requestOverLimit,
];
