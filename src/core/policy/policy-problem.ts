import type { FieldPath } from '../../api/field-path.ts';

/** One thing that is wrong with a configuration. */
export interface PolicyProblem {
  readonly path: FieldPath;
  /** Says what is wrong and what is possible. */
  readonly message: string;
}
