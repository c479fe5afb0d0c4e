import { asWarning, invalid, type Finding } from '../findings.ts';
import type { Rule, Subject } from './subject.ts';

/**
 * A worker that the scheduler has retired ends with exit code 0 and must stay away. A scheduler that the kubelet
 * starts again in place has lost its workers and its results without anyone counting it.
 */
export const restartPolicy: Rule = {
  id: 'restart-policy',
  check({ templates }: Subject): readonly Finding[] {
    return templates.flatMap(({ role, path, spec }) => {
      if (spec.restartPolicy !== 'Always') return [];
      const finding = invalid({
        rule: restartPolicy.id,
        path: path.child('spec', 'restartPolicy'),
        value: spec.restartPolicy,
        message:
          role === 'worker'
            ? "must be 'OnFailure' or 'Never': a retired worker would come back"
            : "'Never' lets the controller restart a failed scheduler together with its workers",
      });
      return [role === 'worker' ? finding : asWarning(finding)];
    });
  },
};
