import { DASHBOARD_PORT, SCHEDULER_PORT } from '../../api/names.ts';
import { invalid, type Finding } from '../findings.ts';
import { commandOptions, type CommandOption } from './command-options.ts';
import type { Rule, Subject } from './subject.ts';
import type { ContainerView, TemplateView } from './template-view.ts';

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

function ofSidecars({ containers, initContainers, dask }: TemplateView): readonly Finding[] {
  // An init container that is restarted runs beside the others; one that is not has ended before they start.
  const sidecars = initContainers.filter(({ container }) => container.restartPolicy === 'Always');
  return [...containers, ...sidecars]
    .filter((view) => dask !== undefined && view !== dask)
    .flatMap(({ container, path }) =>
      (container.ports ?? []).flatMap((port, index) => {
        const owner = OWNED.get(port.containerPort);
        if (owner === undefined || (port.protocol || 'TCP') !== 'TCP') return [];
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

function ofCommand(view: ContainerView): readonly Finding[] {
  return commandOptions(view)
    .filter((option) => listensElsewhere(option))
    .map(({ path, word }) =>
      invalid({
        rule: ports.id,
        path,
        value: word,
        message: `the scheduler must listen on port ${String(SCHEDULER_PORT)}, where the cluster's Service leads`,
      }),
    );
}

function listensElsewhere({ name, value }: CommandOption): boolean {
  const right = String(SCHEDULER_PORT);
  // A list of ports, one for each protocol.
  if (name === '--port') return value !== '' && !value.split(',').includes(right);
  if (name !== '--host') return false;
  const port = /^(?:[a-z]+:\/\/)?[^:]*:(\d+)$/.exec(value)?.[1];
  return port !== undefined && port !== right;
}
