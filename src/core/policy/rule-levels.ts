import { FieldPath } from '../../api/field-path.ts';
import { CATALOGUE, ruleOf } from '../rules/catalogue.ts';
import { isObject } from '../structure/json.ts';
import { nearestName } from '../structure/nearest-name.ts';
import { printable } from '../structure/place.ts';
import type { PolicyProblem } from './policy-problem.ts';

const ADJUSTABLE = CATALOGUE.filter(({ adjustable }) => adjustable).map(({ id }) => id);

/** What is wrong with the names under `rules` of a configuration: only adjustable rules may stand there. */
export function ruleProblems(document: unknown): readonly PolicyProblem[] {
  const rules = isObject(document) ? document['rules'] : undefined;
  if (!isObject(rules)) return [];
  return Object.keys(rules).flatMap((id) => {
    const message = faultOf(id);
    return message === undefined ? [] : { path: FieldPath.of('rules').key(printable(id)), message };
  });
}

function faultOf(id: string): string | undefined {
  const rule = ruleOf(id);
  if (rule?.adjustable === true) return undefined;
  if (rule !== undefined) {
    return `Forbidden: the level of this rule is fixed; adjustable are ${ADJUSTABLE.join(', ')}`;
  }
  const unknown = `unknown rule ${JSON.stringify(printable(id))}`;
  const nearest = nearestName(id, ADJUSTABLE);
  return nearest === undefined
    ? `${unknown}: adjustable are ${ADJUSTABLE.join(', ')}`
    : `${unknown}: did you mean "${nearest}"?`;
}
