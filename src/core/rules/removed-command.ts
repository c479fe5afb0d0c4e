import { warning, type Finding } from '../findings.ts';
import type { Rule, Subject } from './subject.ts';
import type { ContainerView } from './template-view.ts';

/** As a word of its own, or in the line of a shell. */
const REMOVED = /(?:^|[\s;&|/(])dask-(scheduler|worker|ssh)(?=$|[\s;&|)])/;
/** Dask's own tags are its versions: `2026.3.0`, `2025.12.0-py3.12`. */
const TAG = /:v?(\d{4})\.(\d{1,2})\b[^/]*$/;
const REMOVED_IN = 202_606;

/** Newer images of Dask have the one command `dask`. What dask-gateway writes is mended when it is rendered. */
export const removedCommand: Rule = {
  id: 'removed-command',
  check({ form, templates }: Subject): readonly Finding[] {
    if (form !== 'template') return [];
    return templates.flatMap(({ allContainers }) => allContainers.flatMap(ofContainer));
  },
};

function ofContainer({ container, path }: ContainerView): readonly Finding[] {
  if (isOlder(container.image)) return [];
  return (['command', 'args'] as const).flatMap((field) =>
    (container[field] ?? []).flatMap((word, index) => {
      const sub = REMOVED.exec(word)?.[1];
      if (sub === undefined) return [];
      const message = `distributed 2026.6 removed 'dask-${sub}': write 'dask ${sub}'`;
      return [
        warning({ rule: removedCommand.id, path: path.child(field).index(index), value: word, message }),
      ];
    }),
  );
}

/** Whether an image says itself that it is from before the removal. */
function isOlder(image: string | undefined): boolean {
  const [, year, month] = TAG.exec(image ?? '') ?? [];
  return Number(year) * 100 + Number(month) < REMOVED_IN;
}
