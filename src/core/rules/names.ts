import { FieldPath } from '../../api/field-path.ts';
import { serviceName } from '../../api/names.ts';
import { invalid, type Finding } from '../findings.ts';
import type { Rule, Subject } from './subject.ts';

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONGEST_LABEL = 63;
export const LONGEST_NAME = LONGEST_LABEL - serviceName('').length;
/** What the API server appends to `metadata.generateName`. */
const GENERATED_SUFFIX = 'xxxxx';

/** What is said of a name; the CustomResourceDefinition's own rules say the same words. */
export const NAME_TEXT = {
  label:
    "must consist of lower case letters, digits and '-', and start and end with a letter or digit " +
    '(it becomes part of a Service name; clusters are addressed as <namespace>.<name>)',
  length: `must be no more than ${LONGEST_NAME} characters (the Service '${serviceName('<name>')}' may have ${LONGEST_LABEL})`,
} as const;

/**
 * The name becomes a label value and a Service's name, and clusters are addressed as `<namespace>.<name>`: so it must
 * be one DNS label, and short enough for what is put before it.
 */
export const names: Rule = {
  id: 'names',
  check({ cluster }: Subject): readonly Finding[] {
    const { name, generateName } = cluster.metadata;
    if (name !== undefined && name !== '') return judge(FieldPath.of('metadata', 'name'), name, name);
    if (generateName === undefined || generateName === '') return [];
    return judge(
      FieldPath.of('metadata', 'generateName'),
      generateName,
      `${generateName}${GENERATED_SUFFIX}`,
    );
  },
};

function judge(path: FieldPath, value: string, name: string): readonly Finding[] {
  const rule = names.id;
  const findings: Finding[] = [];
  if (!DNS_LABEL.test(name)) findings.push(invalid({ rule, path, value, message: NAME_TEXT.label }));
  if (name.length > LONGEST_NAME) {
    const generated = value === name ? '' : `; ${GENERATED_SUFFIX.length} more are generated`;
    findings.push(invalid({ rule, path, value, message: `${NAME_TEXT.length}${generated}` }));
  }
  return findings;
}
