import { DEEPEST, isDeeperThan, isObject, type JsonObject } from './structure/json.ts';
import { ROLE_COMPONENT } from '../api/names.ts';

const ROLES = ['scheduler', 'worker'] as const;
/** In JSON, outside of texts or within one: infinite numbers are written so too, and would be taken for a null. */
const NULL = /[:,[]null/;
/** Nobody finds fault with them, whatever the configuration is. */
const PLAIN_TEMPLATES = {
  scheduler: { spec: { containers: [{ name: ROLE_COMPONENT.scheduler }] } },
  worker: { spec: { containers: [{ name: ROLE_COMPONENT.worker }] } },
} as const;

/** A DaskCluster taken apart: what is said of its templates can be remembered, the rest is small. */
export interface Skeleton {
  /** The object with plain templates in place of its own. */
  readonly rest: JsonObject;
  /**
   * Equal for objects whose templates are told the same, as long as the configuration is: the templates, and all else
   * that their rules and their pods are made from.
   */
  readonly templatesKey: string;
  /** Puts the templates back into a sound version of {@link rest}. */
  readonly complete: <T extends object>(sound: T) => T;
}

/**
 * Takes a cluster of the template form apart. Undefined where that may lose anything: another form, no template, a part
 * of the wrong type, a null in a template, or one that is nested too deep.
 */
export function skeletonOf(object: unknown): Skeleton | undefined {
  const { metadata, spec } = isObject(object) ? object : {};
  if (!isObject(object) || !isObject(metadata) || !isObject(spec) || spec['config'] !== undefined) return undefined;
  const names = [metadata['name'], metadata['generateName'], metadata['namespace']];
  if (!names.every((name) => name === undefined || typeof name === 'string')) return undefined;
  const templates = ROLES.map((role) => templateOf(spec[role]));
  const texts = templates.map(textOf);
  if (templates.every((template) => template === undefined) || texts.includes(undefined)) return undefined;
  const plain = Object.fromEntries(
    ROLES.flatMap((role, index) => (templates[index] === undefined ? [] : [[role, PLAIN_TEMPLATES[role]]])),
  );
  const own = Object.fromEntries(
    ROLES.flatMap((role, index) => (templates[index] === undefined ? [] : [[role, templates[index]]])),
  );
  return {
    rest: withTemplates(object, plain),
    // None of the parts has a line break in it.
    templatesKey: [JSON.stringify(names), ...texts].join('\n'),
    complete: (sound) => withTemplates(sound as JsonObject, own) as typeof sound,
  };
}

function templateOf(part: unknown): unknown {
  return isObject(part) ? part['template'] : undefined;
}

/** Empty for no template; undefined where the text would not tell it from another one. */
function textOf(template: unknown): string | undefined {
  if (template === undefined) return '';
  if (!isObject(template) || isDeeperThan(template, DEEPEST)) return undefined;
  const text = JSON.stringify(template);
  return NULL.test(text) ? undefined : text;
}

/** Everything else is shared. */
function withTemplates(object: JsonObject, templates: Readonly<Record<string, unknown>>): JsonObject {
  const spec = object['spec'] as JsonObject;
  const parts = Object.entries(templates).map(([role, template]) => [
    role,
    { ...(spec[role] as JsonObject), template },
  ]);
  return { ...object, spec: { ...spec, ...Object.fromEntries(parts) } };
}
