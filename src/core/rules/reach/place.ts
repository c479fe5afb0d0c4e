import type { FieldPath } from '../../../api/field-path.ts';

/** One thing in a template that reaches further than its cluster needs. */
export interface Reaching {
  readonly path: FieldPath;
  readonly value: unknown;
  /** What is wrong and what is possible. */
  readonly message: string;
}
