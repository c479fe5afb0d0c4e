import { format, type Finding } from '../findings.ts';

/** People read it in a terminal; every finding is in the webhook's log. */
const LONGEST_TEXT = 4_000;

/** Findings on one line, each once and as admission says it: what there is room for, and how many there are besides. */
export function findingsText(findings: readonly Finding[]): string {
  // The pods of a cluster share parts of its configuration, and with them the faults.
  const texts = [...new Set(findings.map(format))];
  const told: string[] = [];
  let length = 0;
  for (const text of texts) {
    length += text.length;
    if (told.length > 0 && length > LONGEST_TEXT) break;
    told.push(text);
  }
  const more = texts.length - told.length;
  return [...told, ...(more === 0 ? [] : [`${String(more)} more`])].join('; ');
}
