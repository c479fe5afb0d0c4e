import { FieldPath } from '../../api/field-path.ts';
import { invalid, type Finding } from '../findings.ts';
import type { Rule, Subject } from './subject.ts';

const SECONDS_PER_DAY = 86_400;
const DEADLINES = ['startDeadlineSeconds', 'idleTimeoutSeconds', 'activeDeadlineSeconds'] as const;

/** A cluster that may live longer than its certificate dies of it, and not of its deadline. */
export const validity: Rule = {
  id: 'validity',
  check({ cluster, policy }: Subject): readonly Finding[] {
    const days = policy.credentialsValidityDays;
    const mostSeconds = days * SECONDS_PER_DAY;
    return DEADLINES.flatMap((field) => {
      const value = cluster.spec.lifecycle?.[field];
      if (value === undefined || value <= mostSeconds) return [];
      const message = `must be at most ${mostSeconds}: the cluster's certificate is valid for ${days} days`;
      return [invalid({ rule: validity.id, path: FieldPath.of('spec', 'lifecycle', field), value, message })];
    });
  },
};
