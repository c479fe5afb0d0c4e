import type { ScalarTag, SchemaOptions, Tags } from 'yaml';

/** What YAML 1.1 knows and Kubernetes' reader leaves as text. */
const TEXT_TAGS: ReadonlySet<string> = new Set([
  'tag:yaml.org,2002:timestamp',
  'tag:yaml.org,2002:binary',
  'tag:yaml.org,2002:omap',
  'tag:yaml.org,2002:pairs',
  'tag:yaml.org,2002:set',
]);

/** Sexagesimal numbers: `12:30`. */
const TIME_FORMAT = 'TIME';

const MODERN_OCTAL: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  format: 'OCT',
  test: /^[-+]?0o[0-7]+$/,
  resolve: (text) => Number(text.replace(/^[-+]/, '')) * (text.startsWith('-') ? -1 : 1),
};

/**
 * YAML as kubectl, Helm and Argo CD read it, which is neither 1.1 nor 1.2: `0644` is octal and `yes` is true, but
 * `2026-01-01` and `12:30` are text.
 */
export const KUBERNETES_YAML = {
  schema: 'yaml-1.1',
  merge: true,
  customTags: (tags: Tags): Tags => [MODERN_OCTAL, ...tags.filter(isKubernetes)],
} as const satisfies SchemaOptions;

function isKubernetes(tag: Tags[number]): boolean {
  if (typeof tag === 'string') return true;
  return !TEXT_TAGS.has(tag.tag) && !('format' in tag && tag.format === TIME_FORMAT);
}
