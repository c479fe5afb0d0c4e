import { validate } from './validator.generated.ts';

/** One place that is not as the CustomResourceDefinition's schema has it. Which field it carries says the keyword. */
export interface StructuralError {
  /** JSON pointer. */
  readonly instancePath: string;
  readonly keyword: 'type' | 'textOr' | 'nullMeans' | 'closed' | 'required' | 'enum' | 'minimum' | 'maximum';
  readonly params: {
    /** `type`, `textOr`: what must be there. For `textOr` text is as good. */
    readonly type?: string;
    /** `nullMeans`: the value that the null stands for. */
    readonly zero?: unknown;
    /** `closed`: the unknown field, and the known ones. */
    readonly field?: string;
    readonly known?: ReadonlySet<string>;
    /** `required` */
    readonly missingProperty?: string;
    /** `enum` */
    readonly allowedValues?: readonly string[];
    /** `minimum`, `maximum` */
    readonly limit?: number;
  };
}

interface Validate {
  (object: unknown): boolean;
  errors: readonly StructuralError[] | null;
}

/** All errors of an object, in no particular order; the time is linear in the size of what the schema describes. */
export function structuralErrors(object: unknown): readonly StructuralError[] {
  const run = validate as unknown as Validate;
  run(object);
  const errors = run.errors ?? [];
  run.errors = null;
  return errors;
}
