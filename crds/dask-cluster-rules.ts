import { LONGEST_NAME } from '../src/core/rules/names.ts';
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
    message:
      "must consist of lower case letters, digits and '-', and start and end with a letter or digit " +
      '(it becomes part of a Service name; clusters are addressed as <namespace>.<name>)',
  },
  {
    rule: `oldSelf.hasValue() || self.metadata.name.size() <= ${LONGEST_NAME}`,
    optionalOldSelf: true,
    fieldPath: '.metadata.name',
    message: `must be no more than ${LONGEST_NAME} characters (the Service 'dask-<name>' may have 63)`,
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
    message: 'the form of a cluster may not change: delete it and create it anew',
  },
  {
    rule: '!has(oldSelf.placement) || (has(self.placement) && self.placement == oldSelf.placement)',
    fieldPath: '.placement',
    message: 'may not change once it is set: the place is chosen once, for the whole life of the cluster',
  },
  {
    rule: '!has(oldSelf.username) || (has(self.username) && self.username == oldSelf.username)',
    fieldPath: '.username',
    message: 'may not change once it is set: it says whose cluster this is',
  },
];

export const WORKER_TEMPLATE_RULES: readonly ValidationRule[] = [
  {
    rule: "!has(self.spec) || !has(self.spec.restartPolicy) || self.spec.restartPolicy != 'Always'",
    fieldPath: '.spec.restartPolicy',
    message: "must be 'OnFailure' or 'Never': a retired worker would come back",
  },
];
