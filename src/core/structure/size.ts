import { FieldPath } from '../../api/field-path.ts';
import { invalid, type Finding } from '../findings.ts';
import { DEEPEST, isDeeperThan, isObject } from './json.ts';

/** Of one pod template, or of dask-gateway's configuration, as JSON. */
const MOST_CHARACTERS = 256 * 1024;
const MOST_CONTAINERS = 64;
const MOST_VARIABLES = 512;

export interface Oversized {
  /** The place that is left out of everything that follows. */
  readonly segments: readonly string[];
  readonly finding: Finding;
}

/**
 * Parts of an object that are too big to be looked into: an honest pod is far below these limits, and everything that
 * comes later takes its time from them.
 */
export function oversizedParts(object: unknown): readonly Oversized[] {
  return [
    ...oversized(object, ['spec', 'scheduler', 'template'], templatePods),
    ...oversized(object, ['spec', 'worker', 'template'], templatePods),
    ...oversized(object, ['spec', 'config'], configPods),
  ];
}

/** A list of containers, or of variables, and where it stands below its part. */
interface Counted {
  readonly fields: readonly string[];
  readonly containers: number;
  readonly variables: number;
}

function oversized(
  object: unknown,
  segments: readonly string[],
  podsOf: (part: unknown) => readonly Counted[],
): readonly Oversized[] {
  const part = segments.reduce<unknown>((value, segment) => field(value, segment), object);
  const fault = faultOf(part, podsOf);
  if (fault === undefined) return [];
  const path = FieldPath.of(...segments, ...fault.fields);
  const finding = invalid({ rule: 'size', path, value: fault.value, message: fault.message });
  return [{ segments, finding }];
}

function faultOf(
  part: unknown,
  podsOf: (part: unknown) => readonly Counted[],
): { fields: readonly string[]; value: string; message: string } | undefined {
  if (isDeeperThan(part, DEEPEST)) {
    return { fields: [], value: 'too deep', message: `must be nested no deeper than ${DEEPEST} levels` };
  }
  for (const { fields, containers, variables } of podsOf(part)) {
    if (containers > MOST_CONTAINERS) {
      const value = `${containers} containers`;
      return { fields, value, message: `must have at most ${MOST_CONTAINERS} containers` };
    }
    if (variables > MOST_VARIABLES) {
      const value = `${variables} environment variables`;
      return { fields, value, message: `must have at most ${MOST_VARIABLES} environment variables` };
    }
  }
  const characters = ((JSON.stringify(part) as string | undefined) ?? '').length;
  if (characters <= MOST_CHARACTERS) return undefined;
  const message = `must have at most ${MOST_CHARACTERS} characters as JSON`;
  return { fields: [], value: `${characters} characters`, message };
}

function templatePods(template: unknown): readonly Counted[] {
  return [countPod(field(template, 'spec'), ['spec', 'containers'])];
}

function configPods(config: unknown): readonly Counted[] {
  const counted = ['scheduler', 'worker'].flatMap((role) => {
    const pod = `${role}_extra_pod_config`;
    const container = `${role}_extra_container_config`;
    return [
      countPod(field(config, pod), [pod]),
      { fields: [container], containers: 1, variables: lengthOf(field(field(config, container), 'env')) },
    ];
  });
  const environment = field(config, 'environment');
  const variables = isObject(environment) ? Object.keys(environment).length : 0;
  return [...counted, { fields: ['environment'], containers: 0, variables }];
}

function countPod(spec: unknown, fields: readonly string[]): Counted {
  const containers = ['containers', 'initContainers', 'ephemeralContainers']
    .map((name) => field(spec, name))
    .flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  const variables = containers.reduce<number>((sum, container) => sum + lengthOf(field(container, 'env')), 0);
  return { fields, containers: containers.length, variables };
}

function field(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
