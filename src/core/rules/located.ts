import { isWithin, type FieldPath } from '../../api/field-path.ts';
import type { Finding } from '../findings.ts';
import type { TemplateView } from './template-view.ts';

/**
 * Findings with the paths at which the user wrote what they are about; without those of what daskwarden wrote, and
 * once where both pods come from one place.
 */
export function located(
  findings: readonly Finding[],
  templates: readonly TemplateView[],
): readonly Finding[] {
  if (templates.every(({ locate }) => locate === undefined)) return findings;
  const told = new Map<string, Finding>();
  for (const finding of findings) {
    const path = placeOf(finding, templates);
    if (path === undefined) continue;
    const key = JSON.stringify([finding.rule, path.toString(), finding.message]);
    if (!told.has(key)) told.set(key, { ...finding, path });
  }
  return [...told.values()];
}

function placeOf({ path }: Finding, templates: readonly TemplateView[]): FieldPath | undefined {
  const text = path.toString();
  const view = templates.find((candidate) => isWithin(text, candidate.path.toString()));
  return view?.locate === undefined ? path : view.locate(path);
}
