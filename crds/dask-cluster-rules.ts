import { IMMUTABLE_TEXT } from '../src/core/rules/immutable.ts';
import { LONGEST_NAME, NAME_TEXT } from '../src/core/rules/names.ts';
import { WORKER_POLICY_TEXT } from '../src/core/rules/restart-policy.ts';
import { FORM_TEXT } from '../src/core/structure/form.ts';
import type { ValidationRule } from './structural-schema.ts';

/**
 * What must hold even while the webhook is away. Everything here is checked again at every write that changes the
 * place it stands at, and only then: an object that is older than a rule can still be labelled, stopped and deleted.
 * That spares what breaks a rule, not what a rule cannot be evaluated on: a rule that reads a stored value of another
 * type than the schema's fails at every write. So no rule reads more than it must, `has` of the forms before all else.
 */

/** At the root: a name never changes, so it is judged once; nobody may be locked out of an object by it later. */
export const OBJECT_RULES: readonly ValidationRule[] = [
  {
    rule: "oldSelf.hasValue() || !self.metadata.name.contains('.')",
    optionalOldSelf: true,
    fieldPath: '.metadata.name',
    message: NAME_TEXT.label,
  },
  {
    rule: `oldSelf.hasValue() || self.metadata.name.size() <= ${LONGEST_NAME}`,
    optionalOldSelf: true,
    fieldPath: '.metadata.name',
    message: NAME_TEXT.length,
  },
];

export const SPEC_RULES: readonly ValidationRule[] = [
  { rule: 'has(self.config) != has(self.scheduler)', message: FORM_TEXT.exactlyOne },
  {
    rule: '!(has(self.config) && has(self.worker)) || has(self.scheduler)',
    fieldPath: '.worker',
    reason: 'FieldValueForbidden',
    message: FORM_TEXT.workerBesideConfig,
  },
  {
    rule: '!(has(self.scheduler) && has(self.replicas)) || has(self.config)',
    fieldPath: '.replicas',
    reason: 'FieldValueForbidden',
    message: FORM_TEXT.replicasBesideScheduler,
  },
  {
    rule: '!has(self.worker) || has(self.worker.template) || has(self.config)',
    fieldPath: '.worker.template',
    reason: 'FieldValueRequired',
    message: FORM_TEXT.workerTemplate,
  },
  {
    // An older object with both forms, or none, may still be mended into either.
    rule: 'has(oldSelf.config) == has(oldSelf.scheduler) || has(oldSelf.config) == has(self.config)',
    message: IMMUTABLE_TEXT.form,
  },
  {
    rule: '!has(oldSelf.placement) || (has(self.placement) && self.placement == oldSelf.placement)',
    fieldPath: '.placement',
    message: IMMUTABLE_TEXT.placement,
  },
  {
    rule: '!has(oldSelf.username) || (has(self.username) && self.username == oldSelf.username)',
    fieldPath: '.username',
    message: IMMUTABLE_TEXT.username,
  },
];

export const WORKER_TEMPLATE_RULES: readonly ValidationRule[] = [
  {
    rule: "!has(self.spec) || !has(self.spec.restartPolicy) || self.spec.restartPolicy != 'Always'",
    fieldPath: '.spec.restartPolicy',
    message: WORKER_POLICY_TEXT,
  },
];
