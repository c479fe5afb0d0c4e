import { FieldPath } from '../../api/field-path.ts';
import { invalid, type Finding } from '../findings.ts';
import { DEEPEST, isDeeperThan, isObject } from './json.ts';

const MOST_CHARACTERS = 256 * 1024;
const MOST_CONTAINERS = 64;
const MOST_VARIABLES = 512;

export interface Oversized {
  /** The place that is left out of everything that follows. */
  readonly segments: readonly string[];
  readonly finding: Finding;
}

/**
 * Parts of an object, each with all of a pod in it, that are too big to be looked into: an honest pod is far below
 * these limits, and everything that comes later takes its time from them.
 */
export function oversizedParts(object: unknown): readonly Oversized[] {
  const spec = field(object, 'spec');
  const parts = [
    { segments: ['spec', 'scheduler', 'template'], pods: podsOfTemplate },
    { segments: ['spec', 'worker', 'template'], pods: podsOfTemplate },
    { segments: ['spec', 'config'], pods: podsOfConfig },
  ];
  return parts.flatMap(({ segments, pods }) => {
    const part = segments.slice(1).reduce(field, spec);
    const fault = faultOf(part, pods);
    if (fault === undefined) return [];
    const finding = invalid({ rule: 'size', path: FieldPath.of(...segments), ...fault });
    return [{ segments, finding }];
  });
}

/** What of a pod takes time. */
interface Pod {
  readonly containers: number;
  readonly variables: number;
}

interface Fault {
  readonly value: string;
  readonly message: string;
}

function faultOf(part: unknown, podsOf: (part: unknown) => readonly Pod[]): Fault | undefined {
  if (isDeeperThan(part, DEEPEST)) {
    return { value: 'too deep', message: `must be nested no deeper than ${DEEPEST} levels` };
  }
  const pods = podsOf(part);
  return (
    tooMany(
      pods.map(({ containers }) => containers),
      MOST_CONTAINERS,
      'containers',
    ) ??
    tooMany(
      pods.map(({ variables }) => variables),
      MOST_VARIABLES,
      'environment variables',
    ) ??
    tooMany([textLength(part)], MOST_CHARACTERS, 'characters of JSON')
  );
}

function tooMany(counts: readonly number[], most: number, what: string): Fault | undefined {
  const count = Math.max(0, ...counts);
  if (count <= most) return undefined;
  return { value: `${count} ${what}`, message: `must have at most ${most} ${what}` };
}

function textLength(part: unknown): number {
  return part === undefined ? 0 : JSON.stringify(part).length;
}

function podsOfTemplate(template: unknown): readonly Pod[] {
  return [podOf(field(template, 'spec'))];
}

/** dask-gateway's environment, and what it lets an operator add to pods and to their Dask containers. */
function podsOfConfig(config: unknown): readonly Pod[] {
  const environment = field(config, 'environment');
  const variables = isObject(environment) ? Object.keys(environment).length : 0;
  return ['scheduler', 'worker'].flatMap((role) => [
    podOf(field(config, `${role}_extra_pod_config`)),
    {
      containers: 1,
      variables: variables + lengthOf(field(field(config, `${role}_extra_container_config`), 'env')),
    },
  ]);
}

function podOf(spec: unknown): Pod {
  const containers = ['containers', 'initContainers', 'ephemeralContainers']
    .map((name) => field(spec, name))
    .flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  const variables = containers.reduce<number>((sum, container) => sum + lengthOf(field(container, 'env')), 0);
  return { containers: containers.length, variables };
}

function field(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
