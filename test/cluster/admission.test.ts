import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { DASK_CLUSTERS } from '../../src/api/dask-cluster.ts';
import { PODS, type PodSpec } from '../../src/api/kubernetes.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { clusterTest as it } from '../support/cluster-test.ts';
import { kubectl, kubectlGet } from '../support/kubectl.ts';
import { isAtOrBelow, MANIFESTS } from '../support/manifests.ts';
import { cluster, controllerClient, type Faults, IMAGE, postDry, workerPod } from './webhook-objects.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What `daskwarden check` says of each file of the fixtures. */
async function checkAll(): Promise<ReadonlyMap<string, Faults>> {
  const program = join(ROOT, 'src/cli/main.ts');
  const run = promisify(execFile)(process.execPath, [program, 'check', 'test/fixtures/manifests'], {
    cwd: ROOT,
  });
  // Exit code 1: some of them would be refused.
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  const told = new Map<string, string[]>(MANIFESTS.map(({ file }) => [file, []]));
  for (const [, file = '', fault = ''] of stdout.matchAll(
    /^.*\/([^/:]+):\d+:\d+: error (.*) \[[a-z-]+\]$/gm,
  )) {
    told.get(file)?.push(fault);
  }
  return told;
}

const checked = await checkAll();

describe('a manifest gets the verdict that it deserves, from the API server and from `check` alike', () => {
  it.for(MANIFESTS)('$file: $expect $path', async (manifest, { client, namespace }) => {
    const { stored, faults } = await postDry(client, namespace, manifest.object);
    expect(faults).toEqual(checked.get(manifest.file));
    if (manifest.path === undefined) {
      expect(faults).toEqual([]);
      // As it was written, but for what means "not set".
      expect(stored?.spec).toEqual(withoutNulls(manifest.object['spec']));
    } else {
      const fields = faults.map((fault) => fault.slice(0, fault.indexOf(': ')));
      expect(fields.some((field) => isAtOrBelow(field, manifest.path ?? ''))).toBe(true);
    }
  });
});

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(entries.map(([key, child]) => [key, withoutNulls(child)]));
}

describe('kubectl', () => {
  async function complaint(namespace: string, object: object, ...args: string[]): Promise<string> {
    const { code, stderr } = await kubectl(['create', '-n', namespace, '-f', '-', ...args], {
      input: JSON.stringify(object),
    });
    expect(code).toBe(1);
    return stderr;
  }

  const ALWAYS =
    'spec.worker.template.spec.restartPolicy: Invalid value: "Always": ' +
    "must be 'OnFailure' or 'Never': a retired worker would come back";

  it('says what is wrong on one line for each field', async ({ namespace }) => {
    const bad = cluster({
      scheduler: { volumes: [{ name: 'dask-credentials', emptyDir: {} }] },
      worker: { restartPolicy: 'Always' },
      spec: { active: 'yes' },
    });
    expect((await complaint(namespace, bad, '--validate=false')).split('\n')).toEqual([
      'The DaskCluster "demo" is invalid: ',
      '* spec.active: Invalid value: "string": must be of type boolean: write true or false without quotes',
      '* spec.scheduler.template.spec.volumes[0].name: Invalid value: "dask-credentials": this volume is added by ' +
        "daskwarden from the Secret 'dask-credentials-demo'; choose another name",
      `* ${ALWAYS}`,
      '',
    ]);
  });

  it('says one thing in one sentence, and the same in a dry run', async ({ namespace }) => {
    const bad = cluster({ worker: { restartPolicy: 'Always' } });
    const sentence = `The DaskCluster "demo" is invalid: ${ALWAYS}\n`;
    expect(await complaint(namespace, bad)).toBe(sentence);
    expect(await complaint(namespace, bad, '--dry-run=server')).toBe(sentence);
  });

  it('says that there is more than it is told', async ({ namespace }) => {
    const env = Array.from({ length: 150 }, () => ({ name: 'DASK_WORKER_NAME', value: 'x' }));
    const bad = cluster({ worker: { containers: [{ name: 'dask-worker', image: IMAGE, env }] } });
    const told = (await complaint(namespace, bad)).trimEnd().split('\n');
    // Kubernetes itself only warns of names that are repeated.
    const lines = told.filter((line) => !line.startsWith('Warning: '));
    expect(lines).toHaveLength(102);
    expect(lines.at(-1)).toBe('* spec: more findings are not listed');
  });
});

describe('both webhooks', () => {
  /** How often each of our webhooks answered, by name. */
  async function calls(client: KubeClient): Promise<Readonly<Record<string, number>>> {
    const metrics = await client.request('GET', '/metrics');
    const counters = metrics.matchAll(
      /^apiserver_admission_webhook_request_total\{code="200",name="([a-z.]+)\.daskwarden\.dev".*\} (\d+)$/gm,
    );
    const totals: Record<string, number> = {};
    for (const [, name = '', count] of counters) totals[name] = (totals[name] ?? 0) + Number(count);
    return totals;
  }

  it('are called, for clusters and for their pods', async ({ client, namespace }) => {
    const before = await calls(client);
    await client.create(DASK_CLUSTERS, { namespace }, cluster());
    const controller = await controllerClient();
    await controller.create(PODS, { namespace }, workerPod(namespace));
    const after = await calls(client);
    for (const name of ['mutate.daskclusters', 'validate.daskclusters', 'inject.pods', 'guard.pods']) {
      expect(after[name], name).toBeGreaterThan(before[name] ?? 0);
    }
  });

  it('are reached by a Service, which means HTTP/1.1, and speak nothing else', async () => {
    const registered = await Promise.all(
      ['mutating', 'validating'].map((kind) =>
        kubectlGet<{
          webhooks: { clientConfig: { service?: { port: number; name: string }; url?: string } }[];
        }>([`${kind}webhookconfiguration`, 'daskwarden']),
      ),
    );
    const services = registered.flatMap((one) => one?.webhooks ?? []).map(({ clientConfig }) => clientConfig);
    expect(services).toHaveLength(6);
    for (const { service, url } of services) {
      expect(url).toBeUndefined();
      expect(service).toMatchObject({ name: 'daskwarden-webhook' });
    }
    const port = services[0]?.service?.port ?? 0;
    const protocols = ['h2', 'http/1.1'].map(
      (protocol) =>
        new Promise((resolve) => {
          const socket = connect({
            host: '127.0.0.1',
            port,
            ALPNProtocols: [protocol],
            rejectUnauthorized: false,
          });
          socket.once('secureConnect', () => {
            resolve(socket.alpnProtocol);
            socket.destroy();
          });
          socket.once('error', (error: NodeJS.ErrnoException) => {
            resolve(error.code);
          });
        }),
    );
    expect(await Promise.all(protocols)).toEqual(['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'http/1.1']);
  });
});

describe('the credentials of a pod', () => {
  async function injected(namespace: string, spec: object): Promise<PodSpec> {
    const controller = await controllerClient();
    const pod = workerPod(namespace);
    const changed = { ...pod, spec: { ...pod.spec, ...spec } };
    return (await controller.create(PODS, { namespace }, changed)).spec;
  }
  const own = (list: readonly { readonly name: string }[] | undefined): readonly string[] =>
    (list ?? []).map(({ name }) => name).filter((name) => !name.startsWith('kube-api-access'));

  it('are added behind what the user wrote, and to the Dask container alone', async ({ namespace }) => {
    const data = { name: 'data', mountPath: '/data' };
    const spec = await injected(namespace, {
      volumes: [{ name: 'data', emptyDir: {} }],
      containers: [
        { name: 'proxy', image: IMAGE, env: [{ name: 'A', value: '1' }], volumeMounts: [data] },
        { name: 'dask-worker', image: IMAGE, env: [{ name: 'B', value: '2' }], volumeMounts: [data] },
        { name: 'logs', image: IMAGE },
      ],
    });
    expect(spec.containers.map(({ name }) => name)).toEqual(['proxy', 'dask-worker', 'logs']);
    expect(own(spec.volumes)).toEqual(['data', 'dask-credentials']);
    const [proxy, dask, logs] = spec.containers;
    expect(own(proxy?.volumeMounts)).toEqual(['data']);
    expect(own(dask?.volumeMounts)).toEqual(['data', 'dask-credentials']);
    expect(own(logs?.volumeMounts)).toEqual([]);
    expect(proxy?.env).toEqual([{ name: 'A', value: '1' }]);
    expect(dask?.env?.[0]).toEqual({ name: 'B', value: '2' });
    expect(logs?.env).toBeUndefined();
  });

  it('are left as they are where the template has them already', async ({ namespace }) => {
    const volume = {
      name: 'dask-credentials',
      secret: { secretName: 'dask-credentials-demo', defaultMode: 256 },
    };
    const mount = { name: 'dask-credentials', mountPath: '/etc/dask-credentials/', readOnly: true };
    const env = [{ name: 'DASK_DISTRIBUTED__COMM__TLS__CA_FILE', value: '/own' }];
    const spec = await injected(namespace, {
      volumes: [volume],
      containers: [{ name: 'dask-worker', image: IMAGE, env, volumeMounts: [mount] }],
    });
    expect(spec.volumes?.filter(({ name }) => name === 'dask-credentials')).toEqual([volume]);
    const [dask] = spec.containers;
    expect(dask?.volumeMounts?.filter(({ name }) => name === 'dask-credentials')).toEqual([mount]);
    const files = dask?.env?.filter(({ name }) => name === env[0]?.name);
    expect(files).toEqual(env);
  });
});
