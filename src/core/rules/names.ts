import { FieldPath } from '../../api/field-path.ts';
import { serviceName } from '../../api/names.ts';
import { invalid, type Finding } from '../findings.ts';
import type { Rule, Subject } from './subject.ts';

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONGEST_LABEL = 63;
export const LONGEST_NAME = LONGEST_LABEL - serviceName('').length;
/** What the API server appends to `metadata.generateName`. */
const GENERATED_SUFFIX = 'xxxxx';

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
  if (!DNS_LABEL.test(name)) {
    const message =
      "must consist of lower case letters, digits and '-', and start and end with a letter or digit " +
      '(it becomes part of a Service name; clusters are addressed as <namespace>.<name>)';
    findings.push(invalid({ rule, path, value, message }));
  }
  if (name.length > LONGEST_NAME) {
    const message = `must be no more than ${String(LONGEST_NAME)} characters (the Service '${serviceName('<name>')}' may have ${String(LONGEST_LABEL)}); this one makes ${String(name.length)}`;
    findings.push(invalid({ rule, path, value, message }));
  }
  return findings;
}
