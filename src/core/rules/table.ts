import { daskContainer } from './dask-container.ts';
import { foreignCredentials } from './foreign-credentials.ts';
import { images } from './images.ts';
import { immutable } from './immutable.ts';
import { memoryUnit } from './memory-unit.ts';
import { mountPaths } from './mount-paths.ts';
import { names } from './names.ts';
import { noEffectYet } from './no-effect-yet.ts';
import { ports } from './ports.ts';
import { removedCommand } from './removed-command.ts';
import { requestOverLimit } from './request-over-limit.ts';
import { reservedEnv } from './reserved-env.ts';
import { reservedLabels } from './reserved-labels.ts';
import { reservedVolume } from './reserved-volume.ts';
import { restartPolicy } from './restart-policy.ts';
import { routeNamespace } from './route-namespace.ts';
import type { Rule } from './subject.ts';
import { templateNamespace } from './template-namespace.ts';
import { tlsOptions } from './tls-options.ts';
import { validity } from './validity.ts';

/** Every rule of the product, in the order in which its findings are reported. docs/rules.md describes each. */
export const RULES: readonly Rule[] = [
  names,
  reservedLabels,
  immutable,
  daskContainer,
  reservedVolume,
  mountPaths,
  reservedEnv,
  tlsOptions,
  foreignCredentials,
  images,
  ports,
  restartPolicy,
  requestOverLimit,
  memoryUnit,
  removedCommand,
  templateNamespace,
  validity,
  routeNamespace,
  noEffectYet,
];
