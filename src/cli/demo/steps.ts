import { relative } from 'node:path';
import { packagePath } from '../../platform/package-root.ts';
import type { Step, Tour } from './tour.ts';

const CLUSTER = 'dgc/demo';
const CHILDREN = 'gateway.dask.org/cluster=demo';
const WORKERS = `${CHILDREN},app.kubernetes.io/component=dask-worker`;

/** The guided tour: from `kubectl apply` to nothing left. */
export const STEPS: readonly Step[] = [
  {
    title: 'A cluster that names little more than its images is applied, and runs',
    async run(tour: Tour): Promise<void> {
      await tour.kubectlOk('apply', '-f', example('cluster.yaml'));
      await ready(tour);
      await tour.kubectlOk('get', CLUSTER);
      const pods = await tour.kubectlOk('get', 'pods', '-l', CHILDREN);
      tour.expect('one scheduler and two workers', lines(pods) === 4);
    },
  },
  {
    title: 'Its credentials were made, and injected into its pods at admission',
    async run(tour: Tour): Promise<void> {
      await tour.kubectlOk('get', 'secret', 'dask-credentials-demo');
      const path =
        '-o=jsonpath={.spec.containers[0].args}{"\\n"}{.spec.containers[0].volumeMounts[?(@.name=="dask-credentials")].mountPath}{"\\n"}';
      const shown = await tour.kubectlOk('get', 'pod', 'dask-scheduler-demo', path);
      tour.expect('the credentials are mounted', shown.includes('/etc/dask-credentials'));
      tour.expect('the command speaks TLS', shown.includes('"--protocol","tls"'));
    },
  },
  {
    title: 'A broken manifest is refused: every mistake at once, one line per field',
    async run(tour: Tour): Promise<void> {
      const { code, stderr } = await tour.kubectl('apply', '-f', example('broken.yaml'));
      tour.expect('it is refused', code !== 0);
      const named = stderr.split('\n').filter((line) => line.startsWith('* ')).length;
      tour.expect('all five mistakes are named', named === 5);
    },
  },
  {
    title: "A pod that poses as one of the cluster's workers is refused",
    async run(tour: Tour): Promise<void> {
      const labels = `${WORKERS},gateway.dask.org/instance=daskwarden`;
      const { code, stderr } = await tour.kubectl('run', 'impostor', '--image=busybox', `--labels=${labels}`);
      tour.expect(
        'it is refused, and the label is named',
        code !== 0 && stderr.includes('only the controller'),
      );
    },
  },
  {
    title: 'The cluster is scaled up',
    async run(tour: Tour): Promise<void> {
      await tour.kubectlOk('scale', CLUSTER, '--replicas=4');
      await workersRunning(tour, 4);
      await tour.kubectlOk('get', CLUSTER);
    },
  },
  {
    title: 'A deleted worker is replaced by one with a new name',
    async run(tour: Tour): Promise<void> {
      const first = (await tour.kubectlOk('get', 'pods', '-l', WORKERS, '-o', 'name')).split('\n')[0] ?? '';
      await tour.kubectlOk('delete', first, '--wait=false');
      await tour.until(
        'four workers run, and the deleted one is not among them',
        runningWorkers(),
        (names) => {
          const list = names.split(/\s+/).filter((name) => name !== '');
          return list.length === 4 && !list.includes(first.replace('pod/', ''));
        },
      );
    },
  },
  {
    title: 'The cluster is switched off: its pods go, the object stays',
    async run(tour: Tour): Promise<void> {
      await tour.kubectlOk('patch', CLUSTER, '--type=merge', '-p', '{"spec":{"active":false}}');
      await tour.until(
        'it is Stopped',
        ['get', CLUSTER, '-o=jsonpath={.status.phase}'],
        (phase) => phase === 'Stopped',
      );
      await nothingLeft(tour);
    },
  },
  {
    title: 'It is switched on again',
    async run(tour: Tour): Promise<void> {
      await tour.kubectlOk('patch', CLUSTER, '--type=merge', '-p', '{"spec":{"active":true}}');
      await ready(tour);
    },
  },
  {
    title: 'The Events tell what happened',
    async run(tour: Tour): Promise<void> {
      const told = await tour.kubectlOk('events', '--for', 'daskcluster/demo', '--no-headers');
      tour.expect('they tell of the workers', told.includes('WorkersCreated'));
    },
  },
  {
    title: 'It is deleted, and nothing is left',
    async run(tour: Tour): Promise<void> {
      await tour.kubectlOk('delete', CLUSTER);
      await nothingLeft(tour);
    },
  },
];

function example(file: string): string {
  return relative(process.cwd(), packagePath('examples', file));
}

async function ready(tour: Tour): Promise<void> {
  const path = '-o=jsonpath={.status.conditions[?(@.type=="Ready")].status}';
  await tour.until('it is Ready', ['get', CLUSTER, path], (status) => status === 'True');
}

async function workersRunning(tour: Tour, count: number): Promise<void> {
  const path = '-o=jsonpath={.status.workers.running}';
  await tour.until(
    `${String(count)} workers run`,
    ['get', CLUSTER, path],
    (running) => running === String(count),
  );
}

function runningWorkers(): string[] {
  return [
    'get',
    'pods',
    '-l',
    WORKERS,
    '--field-selector=status.phase=Running',
    '-o=jsonpath={.items[*].metadata.name}',
  ];
}

async function nothingLeft(tour: Tour): Promise<void> {
  const args = ['get', 'pods,services,secrets', '-l', CHILDREN, '-o', 'name'];
  await tour.until('no pod, Service or Secret of it is left', args, (names) => names === '');
}

/** Without the heading. */
function lines(table: string): number {
  return table.trim().split('\n').length;
}
