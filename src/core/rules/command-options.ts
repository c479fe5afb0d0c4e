import type { FieldPath } from '../../api/field-path.ts';
import type { ContainerView } from './template-view.ts';

/** An option of Dask's command line that a template gives, in one word (`--port=1`) or in two (`--port 1`). */
export interface CommandOption {
  /** With its dashes. */
  readonly name: string;
  readonly value: string;
  /** Where the value stands. */
  readonly path: FieldPath;
  /** The whole word there. */
  readonly word: string;
}

/** `dask`, `/opt/conda/bin/dask-scheduler`, `distributed.cli.dask_worker`. */
const DASK = /(?:^|[/.])dask(?:[-_](?:cuda[-_])?(?:scheduler|worker))?$/;

/**
 * The options with a value that stand in a container's `command` and `args` as words of their own. Words before the
 * first one that names Dask belong to a program around it. Not read: a shell's line, which is one word, and values
 * with `$(VARIABLE)`, which only the kubelet knows.
 */
export function commandOptions({ container, path }: ContainerView): readonly CommandOption[] {
  const words = (['command', 'args'] as const).flatMap((field) =>
    (container[field] ?? []).map((word, index) => ({ word, path: path.child(field).index(index) })),
  );
  const first = words.findIndex(({ word }) => DASK.test(word));
  return words
    .slice(Math.max(first, 0))
    .flatMap((here, index, all): readonly CommandOption[] => {
      const [, name, inline] = /^(--[a-z-]+)(?:=(.*))?$/s.exec(here.word) ?? [];
      const at = inline === undefined ? all[index + 1] : here;
      if (name === undefined || at === undefined) return [];
      return [{ name, value: inline ?? at.word, path: at.path, word: at.word }];
    })
    .filter(({ value }) => !value.includes('$('));
}
