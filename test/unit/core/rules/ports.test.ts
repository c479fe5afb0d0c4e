import { describe, expect, it } from 'vitest';
import type { Container } from '../../../../src/api/kubernetes.ts';
import { ports } from '../../../../src/core/rules/ports.ts';
import { subjectOf } from '../../../../src/core/rules/subject.ts';
import { IMAGE, withDaskContainer, withPodSpec } from '../../../support/builders.ts';
import { expectFinding, expectNothing } from '../../../support/verdict.ts';

type Ports = NonNullable<Container['ports']>;

const listening = (...list: Ports): Container => ({ name: 'proxy', image: IMAGE, ports: list });
const dask: Container = { name: 'dask-scheduler', image: IMAGE };

describe('ports of sidecars', () => {
  it.each<[string, Container, string]>([
    ['the port of the scheduler', listening({ containerPort: 8786 }), "8786 of this pod is the scheduler's"],
    ['the port of the dashboard', listening({ containerPort: 8787 }), "8787 of this pod is the dashboard's"],
    ['it over TCP', listening({ containerPort: 8786, protocol: 'TCP' }), 'must use another one'],
    [
      'it over the default protocol',
      listening({ containerPort: 8786, protocol: '' }),
      'must use another one',
    ],
  ])('refuses %s', (_what, sidecar, says) => {
    expectFinding(ports, withPodSpec('scheduler', { containers: [sidecar, dask] }), {
      path: 'spec.scheduler.template.spec.containers[0].ports[0].containerPort',
      says,
    });
  });

  it.each<[string, Container]>([
    ['other ports', listening({ containerPort: 8788 }, { containerPort: 15001 })],
    ['another protocol', listening({ containerPort: 8786, protocol: 'UDP' })],
    ['no ports', { name: 'proxy', image: IMAGE }],
  ])('allows %s', (_what, sidecar) => {
    expectNothing(ports, withPodSpec('scheduler', { containers: [sidecar, dask] }));
  });

  it('allows them to the Dask container, whatever it calls them', () => {
    const list = [
      { name: 'tcp-comm', containerPort: 8786 },
      { name: 'http', containerPort: 8787 },
    ];
    expectNothing(ports, withDaskContainer('scheduler', { ports: list }));
  });

  it('counts an init container that runs on, and no other', () => {
    const init = { ...listening({ containerPort: 1 }, { containerPort: 8787 }), name: 'init' };
    expectNothing(ports, withPodSpec('scheduler', { initContainers: [init] }));
    expectFinding(
      ports,
      withPodSpec('scheduler', { initContainers: [{ ...init, restartPolicy: 'Always' }] }),
      {
        path: 'spec.scheduler.template.spec.initContainers[0].ports[1].containerPort',
        says: "the dashboard's",
      },
    );
  });

  it('says nothing of workers, to which no Service leads, nor where nobody knows the Dask container', () => {
    const sidecar = listening({ containerPort: 8786 });
    expectNothing(ports, withPodSpec('worker', { containers: [sidecar, { name: 'dask-worker' }] }));
    expectNothing(ports, withPodSpec('scheduler', { containers: [sidecar, { name: 'other' }] }));
  });
});

describe('the port that the scheduler is told', () => {
  it.each<[string, Partial<Container>]>([
    ['the right one', { args: ['dask', 'scheduler', '--port', '8786'] }],
    ['the right one in one word', { args: ['dask', 'scheduler', '--port=8786'] }],
    ['none', { args: ['dask', 'scheduler'] }],
    ['an empty one', { args: ['dask', 'scheduler', '--port', ''] }],
    [
      'a list with the right one',
      { args: ['dask', 'scheduler', '--protocol', 'tls,tls', '--port', '8786,9000'] },
    ],
    ['what only the kubelet knows', { args: ['dask', 'scheduler', '--port', '$(PORT)'] }],
    ["a shell's line, which is not read", { command: ['sh', '-c', 'dask scheduler --port 9000'] }],
    ['the port of a program around Dask', { command: ['serve', '--port', '9000', 'dask', 'scheduler'] }],
    ['another option', { args: ['dask', 'scheduler', '--dashboard-address', ':9000', '--ports', '1'] }],
    ['a word at the end', { args: ['dask', 'scheduler', '--port'] }],
    ['a host', { args: ['dask', 'scheduler', '--host', 'tls://0.0.0.0'] }],
    ['a host with the right port', { args: ['dask', 'scheduler', '--host=tls://0.0.0.0:8786'] }],
    ['an address of many colons', { args: ['dask', 'scheduler', '--host', 'fd00::9000'] }],
  ])('may be %s', (_what, container) => {
    expectNothing(ports, withDaskContainer('scheduler', container));
  });

  it.each<[string, Partial<Container>, string, string]>([
    [
      'another one',
      { args: ['dask', 'scheduler', '--port', '9000'] },
      'args[3]',
      '"9000": the scheduler must',
    ],
    ['another one in one word', { command: ['dask-scheduler', '--port=0'] }, 'command[1]', '"--port=0"'],
    ['half of it in each list', { command: ['dask', 'scheduler', '--port'], args: ['1'] }, 'args[0]', '"1"'],
    ["options of the image's own command", { args: ['--port', '9000'] }, 'args[1]', '"9000"'],
    [
      'a module',
      { command: ['python', '-m', 'distributed.cli.dask_scheduler', '--port=1'] },
      'command[3]',
      '1',
    ],
    [
      'the port after a preload',
      { args: ['--port', '1', '--preload', 'dask_cuda.initialize'] },
      'args[1]',
      '"1"',
    ],
    ['a host with another one', { args: ['dask', 'scheduler', '--host', 'tls://:9000'] }, 'args[3]', '8786'],
    ['a list without it', { args: ['dask', 'scheduler', '--port', '1,2'] }, 'args[3]', '"1,2"'],
  ])('may not be %s', (...[, container, path, says]) => {
    const at = `spec.scheduler.template.spec.containers[0].${path}`;
    expectFinding(ports, withDaskContainer('scheduler', container), { path: at, says });
  });

  it('is judged every time that it is given', () => {
    const args = ['dask', 'scheduler', '--port', '1', '--port', '8786', '--port=2'];
    const findings = ports.check(subjectOf(withDaskContainer('scheduler', { args })));
    expect(findings.map(({ path }) => path.toString().slice(-7))).toEqual(['args[3]', 'args[6]']);
  });
});
