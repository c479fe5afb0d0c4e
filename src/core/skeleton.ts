import { ROLE_COMPONENT, type Role } from '../api/names.ts';
import { DEEPEST, isDeeperThan, isObject, isSameJson, type JsonObject } from './structure/json.ts';

type Templates = Readonly<Record<Role, unknown>>;

/** In JSON, outside of texts or within one: an infinite number is written so too, and would be taken for a null. */
const NULL = /[:,[]null/;
/** Nobody finds fault with them, whatever the configuration is. */
const PLAIN: Templates = {
  scheduler: { spec: { containers: [{ name: ROLE_COMPONENT.scheduler }] } },
  worker: { spec: { containers: [{ name: ROLE_COMPONENT.worker }] } },
};

/** A DaskCluster taken apart: what is said of its templates can be remembered, and the rest is small. */
export interface Skeleton {
  /** The object with plain templates in place of its own. */
  readonly rest: JsonObject;
  /**
   * Equal for objects of whose templates the same is said, as long as the configuration is the same: the templates, and
   * all else that their rules look at and that their pods are made from.
   */
  readonly templatesKey: string;
  /** The {@link rest} of another version; undefined where that has other templates. */
  readonly restOf: (version: unknown) => JsonObject | undefined;
  /** Puts the templates into the sound part of a rest. */
  readonly complete: <T extends object>(sound: T) => T;
}

/**
 * Takes a cluster of the template form apart. Undefined where that might lose anything: another form, no template, a
 * part of another type, a null in a template, or one that is nested too deep.
 */
export function skeletonOf(object: unknown): Skeleton | undefined {
  if (!isObject(object)) return undefined;
  const names = namesOf(object['metadata']);
  const templates = templatesOf(object);
  if (names === undefined || templates === undefined) return undefined;
  const [scheduler, worker] = [textOf(templates.scheduler), textOf(templates.worker)];
  if (scheduler === undefined || worker === undefined) return undefined;
  if (scheduler === '' && worker === '') return undefined;
  return {
    rest: withTemplates(object, templates, PLAIN),
    // None of the parts has a line break in it.
    templatesKey: `${names}\n${scheduler}\n${worker}`,
    restOf: (version) =>
      isObject(version) && isSame(templatesOf(version), templates)
        ? withTemplates(version, templates, PLAIN)
        : undefined,
    complete: <T extends object>(sound: T) => withTemplates(sound as JsonObject, templates, templates) as T,
  };
}

/** Undefined where any that is there is no text. */
function namesOf(metadata: unknown): string | undefined {
  if (!isObject(metadata)) return undefined;
  const names = [metadata['name'], metadata['generateName'], metadata['namespace']];
  return names.every((name) => name === undefined || typeof name === 'string')
    ? JSON.stringify(names)
    : undefined;
}

function templatesOf(object: JsonObject): Templates | undefined {
  const spec = object['spec'];
  if (!isObject(spec) || spec['config'] !== undefined) return undefined;
  return { scheduler: templateOf(spec['scheduler']), worker: templateOf(spec['worker']) };
}

function templateOf(part: unknown): unknown {
  return isObject(part) ? part['template'] : undefined;
}

function isSame(some: Templates | undefined, others: Templates): boolean {
  return isSameJson(some?.scheduler, others.scheduler) && isSameJson(some?.worker, others.worker);
}

/** Empty where there is no template; undefined where the text would not tell it from another one. */
function textOf(template: unknown): string | undefined {
  if (template === undefined) return '';
  if (!isObject(template) || isDeeperThan(template, DEEPEST)) return undefined;
  const text = JSON.stringify(template);
  return text.includes('null') && NULL.test(text) ? undefined : text;
}

/** An object with such templates in place of those that it has; all else is shared. */
function withTemplates(object: JsonObject, present: Templates, templates: Templates): JsonObject {
  const spec = object['spec'] as JsonObject;
  const part = (role: Role): JsonObject | undefined =>
    present[role] === undefined
      ? undefined
      : { [role]: { ...(spec[role] as JsonObject), template: templates[role] } };
  return { ...object, spec: { ...spec, ...part('scheduler'), ...part('worker') } };
}
