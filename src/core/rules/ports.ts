import type { FieldPath } from '../../api/field-path.ts';
import { DASHBOARD_PORT, SCHEDULER_PORT } from '../../api/names.ts';
import { invalid, type Finding } from '../findings.ts';
import type { ContainerView, Rule, Subject, TemplateView } from './subject.ts';

/** The ports that the cluster's Service leads to; everything in a pod shares one network. */
const OWNED: ReadonlyMap<number, string> = new Map([
  [SCHEDULER_PORT, 'the scheduler'],
  [DASHBOARD_PORT, 'the dashboard'],
]);

/**
 * The Service leads to fixed ports of the scheduler: a scheduler told to listen elsewhere, or a sidecar that takes
 * one of them, makes a cluster that no worker finds.
 */
export const ports: Rule = {
  id: 'ports',
  check({ templates }: Subject): readonly Finding[] {
    return templates
      .filter(({ role }) => role === 'scheduler')
      .flatMap((view) => [...ofSidecars(view), ...(view.dask === undefined ? [] : ofCommand(view.dask))]);
  },
};

function ofSidecars({ containers, dask }: TemplateView): readonly Finding[] {
  return containers
    .filter((view) => dask !== undefined && view !== dask)
    .flatMap(({ container, path }) =>
      (container.ports ?? []).flatMap((port, index) => {
        const owner = OWNED.get(port.containerPort);
        if (owner === undefined || (port.protocol ?? 'TCP') !== 'TCP') return [];
        return [
          invalid({
            rule: ports.id,
            path: path.child('ports').index(index, port.name).child('containerPort'),
            value: port.containerPort,
            message: `port ${String(port.containerPort)} of this pod is ${owner}'s; the sidecar must use another one`,
          }),
        ];
      }),
    );
}

function ofCommand({ container, path }: ContainerView): readonly Finding[] {
  const lists = [
    ['command', container.command ?? []],
    ['args', container.args ?? []],
  ] as const;
  return lists.flatMap(([field, words]) => ofWords(words, path.child(field)));
}

/** Reads `--port N` and `--port=N` where they stand as words of their own; inside a shell line they are not judged. */
function ofWords(words: readonly string[], path: FieldPath): readonly Finding[] {
  return words.flatMap((word, index) => {
    const inline = /^--port=(.*)$/.exec(word)?.[1];
    const value = word === '--port' ? words[index + 1] : inline;
    if (value === undefined || value === String(SCHEDULER_PORT)) return [];
    return [
      invalid({
        rule: ports.id,
        path: path.index(inline === undefined ? index + 1 : index),
        value: inline === undefined ? value : word,
        message: `the scheduler must listen on port ${String(SCHEDULER_PORT)}, where the cluster's Service leads`,
      }),
    ];
  });
}
