import { isWithin } from '../../api/field-path.ts';
import type { Finding } from '../findings.ts';
import type { Policy } from '../policy/policy.ts';

/** Rules that say a fault at another depth than Kubernetes does: `requests[cpu]` where that says `requests`. */
const AT_ANY_DEPTH: ReadonlySet<string> = new Set([
  'structure',
  'unknown-field',
  'size',
  'request-over-limit',
]);

/**
 * Of what Kubernetes says of the pods only what nobody has said yet: a product rule says the same fault with what is
 * possible. What a configuration makes of a rule must not hide Kubernetes' own refusal, so a rule that it softens hides
 * nothing.
 */
export function notToldYet(
  told: readonly Finding[],
  ofPods: readonly Finding[],
  policy: Policy,
): readonly Finding[] {
  const places = told.map((finding) => ({
    finding,
    place: finding.path.toString(),
    isFirm: policy.rules[finding.rule] === undefined || policy.rules[finding.rule] === 'Deny',
  }));
  const seen = new Set<string>();
  return ofPods.filter((finding) => {
    const path = finding.path.toString();
    const line = `${path}: ${finding.message}`;
    if (seen.has(line)) return false;
    seen.add(line);
    return !places.some(
      (other) => covers(other.finding, finding) && other.isFirm && isSamePlace(other, path),
    );
  });
}

/** A warning lets pass what an error refuses. */
function covers(told: Finding, finding: Finding): boolean {
  return told.level === 'error' || finding.level === 'warning';
}

function isSamePlace(
  { finding, place }: { readonly finding: Finding; readonly place: string },
  path: string,
): boolean {
  if (place === path) return true;
  return AT_ANY_DEPTH.has(finding.rule) && (isWithin(path, place) || isWithin(place, path));
}
