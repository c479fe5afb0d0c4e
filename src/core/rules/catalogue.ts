import type { Form } from '../../api/dask-cluster.ts';
import type { Level } from '../findings.ts';

/** Where a rule applies: to clusters of one form or of both, or to pods. */
export type RuleForm = Form | 'both' | 'pods';

/** What is told of a rule besides what it finds. docs/rules.md has the same table. */
export interface RuleEntry {
  readonly id: string;
  readonly form: RuleForm;
  /** Of what it finds at least: single findings of an error's rule may be warnings. */
  readonly level: Level;
  /** Whether the configuration may set another level. */
  readonly adjustable: boolean;
  /** Never only a warning, whatever the enforcement: it keeps credentials, identity or what nobody could judge. */
  readonly security: boolean;
}

const FIXED = { level: 'error', adjustable: false, security: false } as const;
const ADJUSTABLE = { level: 'error', adjustable: true, security: false } as const;
const WARNING = { level: 'warning', adjustable: true, security: false } as const;
const SECURITY = { level: 'error', adjustable: false, security: true } as const;

/**
 * Every rule that a finding may name, in the order in which they are described. Fixed are those without which nothing
 * could be run, or which the CustomResourceDefinition enforces anyway: a level would only change who refuses.
 */
export const CATALOGUE: readonly RuleEntry[] = [
  // What is too big is left out of all that follows: admitting it would admit what no rule has seen.
  { id: 'size', form: 'both', ...SECURITY },
  { id: 'form', form: 'both', ...FIXED },
  { id: 'structure', form: 'both', ...FIXED },
  { id: 'unknown-field', form: 'both', ...ADJUSTABLE },
  { id: 'names', form: 'both', ...FIXED },
  // A template with the labels of another cluster would be selected by that one's Service.
  { id: 'reserved-labels', form: 'both', ...SECURITY },
  // Whose cluster it is, and where it runs, decides which rights and limits count.
  { id: 'immutable', form: 'both', ...SECURITY },
  { id: 'dask-container', form: 'both', ...FIXED },
  { id: 'reserved-volume', form: 'both', ...SECURITY },
  { id: 'mount-paths', form: 'both', ...SECURITY },
  { id: 'reserved-env', form: 'both', ...SECURITY },
  { id: 'tls-options', form: 'both', ...SECURITY },
  { id: 'foreign-credentials', form: 'both', ...SECURITY },
  { id: 'images', form: 'both', ...ADJUSTABLE },
  { id: 'ports', form: 'both', ...ADJUSTABLE },
  { id: 'restart-policy', form: 'both', ...FIXED },
  { id: 'request-over-limit', form: 'both', ...ADJUSTABLE },
  { id: 'memory-unit', form: 'both', ...WARNING },
  { id: 'removed-command', form: 'template', ...WARNING },
  { id: 'template-namespace', form: 'template', ...WARNING },
  { id: 'validity', form: 'both', ...ADJUSTABLE },
  { id: 'route-namespace', form: 'both', ...ADJUSTABLE },
  { id: 'no-effect-yet', form: 'both', ...WARNING },
  // Whoever may write clusters would otherwise run any pod with the controller's rights.
  { id: 'reach', form: 'both', ...SECURITY },
  { id: 'pod-validation', form: 'both', ...ADJUSTABLE },
  { id: 'pod-warning', form: 'both', ...WARNING },
  { id: 'pod-security', form: 'both', ...ADJUSTABLE },
  // The API server judges every pod again when the controller creates it.
  { id: 'no-verdict', form: 'both', ...ADJUSTABLE },
  { id: 'limits', form: 'both', ...ADJUSTABLE },
  { id: 'namespace-rules', form: 'both', ...ADJUSTABLE },
  // A place that the requester has no right to is another's.
  { id: 'placement', form: 'both', ...SECURITY },
  { id: 'requested-by', form: 'both', ...SECURITY },
  { id: 'scale', form: 'both', ...FIXED },
  { id: 'posing', form: 'pods', ...SECURITY },
  { id: 'connect', form: 'pods', ...SECURITY },
];

const BY_ID: ReadonlyMap<string, RuleEntry> = new Map(CATALOGUE.map((entry) => [entry.id, entry]));

/** The rule of an id, or undefined where there is none. */
export function ruleOf(id: string): RuleEntry | undefined {
  return BY_ID.get(id);
}
