import { DASK_CLUSTER_API_VERSION, DASK_CLUSTER_KIND, WEBHOOK_CONFIGURATION } from '../../api/names.ts';
import { freePort } from '../../control-plane/free-port.ts';
import type { KubectlResult } from '../../control-plane/kubectl.ts';
import type { Watchdog } from '../../control-plane/watchdog.ts';
import { packagePath } from '../../platform/package-root.ts';
import { foundation, registration, serviceAccountName, WEBHOOK_SERVICE, type Part } from './installation.ts';
import { ProductProcess } from './product-process.ts';

export interface ProductEnvironment {
  /** Runs kubectl as an administrator. */
  readonly kubectl: (
    args: readonly string[],
    options?: { readonly input?: string },
  ) => Promise<KubectlResult>;
  readonly server: string;
  readonly caPem: string;
  /** Where service account files and logs are kept. */
  readonly directory: string;
  readonly watchdog: Watchdog;
  /** Of the product itself. */
  readonly namespace: string;
  /** The name by which the API server reaches this machine. */
  readonly webhookHost: string;
  /** The program of the command `daskwarden`. */
  readonly program: string;
  /** Appended to the flags of each process. */
  readonly flags?: Readonly<Partial<Record<Part, readonly string[]>>>;
}

const TOKEN_LIFETIME = '24h';
const ESTABLISHED_TIMEOUT_MS = 30_000;

/** The product as it runs in production: installed objects, and two processes with accounts of their own. */
export class Product {
  readonly webhookPort: number;
  readonly processes: Readonly<Record<Part, ProductProcess>>;
  private readonly environment: ProductEnvironment;

  private constructor(
    environment: ProductEnvironment,
    webhookPort: number,
    processes: Readonly<Record<Part, ProductProcess>>,
  ) {
    this.environment = environment;
    this.webhookPort = webhookPort;
    this.processes = processes;
  }

  /** Installs the CRD, accounts, rights and registrations, and starts both processes; resolves when both are ready. */
  static async start(environment: ProductEnvironment): Promise<Product> {
    const { namespace, webhookHost } = environment;
    await installCrd(environment);
    await apply(environment, foundation(namespace));
    const webhookPort = await freePort();
    await apply(environment, registration({ namespace, webhookHost, webhookPort }));
    const controller = await startPart(environment, 'controller', []);
    const webhook = await startPart(environment, 'webhook', [
      '--host=127.0.0.1',
      `--port=${String(webhookPort)}`,
      `--service-name=${WEBHOOK_SERVICE}`,
    ]);
    const product = new Product(environment, webhookPort, { webhook, controller });
    try {
      await Promise.all([webhook.ready(), controller.ready()]);
    } catch (error) {
      await product.stop();
      throw error;
    }
    return product;
  }

  /** Starts one of the processes again, after it was stopped or killed. */
  async restart(part: Part): Promise<Product> {
    await this.processes[part].stop();
    const args =
      part === 'controller'
        ? []
        : ['--host=127.0.0.1', `--port=${String(this.webhookPort)}`, `--service-name=${WEBHOOK_SERVICE}`];
    const process = await startPart(this.environment, part, args);
    await process.ready();
    return new Product(this.environment, this.webhookPort, { ...this.processes, [part]: process });
  }

  /** Leads the API server to the webhook by another name of this machine. */
  async register(webhookHost: string): Promise<void> {
    const { namespace } = this.environment;
    await apply(this.environment, registration({ namespace, webhookHost, webhookPort: this.webhookPort }));
  }

  /** Whether the API server gets a verdict from the webhook: of a cluster that is refused by a rule, in a dry run. */
  async isReached(): Promise<boolean> {
    const probe = {
      apiVersion: DASK_CLUSTER_API_VERSION,
      kind: DASK_CLUSTER_KIND,
      metadata: { name: 'reachability-probe', namespace: this.environment.namespace },
      spec: { scheduler: { template: { spec: { containers: [] } } } },
    };
    const args = ['create', '--dry-run=server', '-f', '-'];
    const { code, stderr } = await this.environment.kubectl(args, { input: JSON.stringify(probe) });
    return code !== 0 && stderr.includes('at least one container');
  }

  async stop(): Promise<void> {
    await Promise.all([this.processes.webhook.stop(), this.processes.controller.stop()]);
  }
}

/** Removes everything that was installed, and the given namespaces with all that is in them. */
export async function uninstall(
  kubectl: ProductEnvironment['kubectl'],
  namespaces: readonly string[],
): Promise<void> {
  const ignore = '--ignore-not-found';
  // The registrations first: with the processes gone they would refuse every write.
  const configurations = ['mutatingwebhookconfiguration', 'validatingwebhookconfiguration'];
  await kubectl(['delete', configurations.join(','), WEBHOOK_CONFIGURATION, ignore]);
  await kubectl(['delete', 'crd', 'daskclusters.gateway.dask.org', ignore]);
  for (const namespace of namespaces) {
    for (const part of ['controller', 'webhook'] as const) {
      const role = `${serviceAccountName(part)}-${namespace}`;
      await kubectl(['delete', 'clusterrole,clusterrolebinding', role, ignore]);
    }
    await kubectl(['delete', 'namespace', namespace, ignore]);
  }
}

/** Installs the CRD and waits until the API server serves it. */
export async function installCrd(environment: Pick<ProductEnvironment, 'kubectl'>): Promise<void> {
  await succeed(environment, ['apply', '--server-side', '-f', packagePath('crds', 'daskclusters.yaml')]);
  const deadline = performance.now() + ESTABLISHED_TIMEOUT_MS;
  // `kubectl wait` fails on a definition that has no conditions yet, so it may have to be asked twice.
  for (;;) {
    const args = [
      'wait',
      '--for=condition=Established',
      '--timeout=10s',
      'crd/daskclusters.gateway.dask.org',
    ];
    const { code, stderr } = await environment.kubectl(args);
    if (code === 0) return;
    if (performance.now() > deadline) throw new Error(`kubectl ${args.join(' ')}: ${stderr.trim()}`);
  }
}

async function startPart(
  environment: ProductEnvironment,
  part: Part,
  args: readonly string[],
): Promise<ProductProcess> {
  const { namespace, server, caPem, directory, watchdog, program, flags } = environment;
  const create = [
    'create',
    'token',
    serviceAccountName(part),
    '-n',
    namespace,
    `--duration=${TOKEN_LIFETIME}`,
  ];
  const token = (await succeed(environment, create)).trim();
  return ProductProcess.start({
    part,
    program,
    args: [...args, ...(flags?.[part] ?? [])],
    server,
    caPem,
    token,
    namespace,
    directory,
    watchdog,
  });
}

async function apply(environment: ProductEnvironment, items: readonly object[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await succeed(environment, ['apply', '--server-side', '-f', '-'], input);
}

async function succeed(
  { kubectl }: Pick<ProductEnvironment, 'kubectl'>,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const { code, stdout, stderr } = await kubectl(args, input === undefined ? {} : { input });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr.trim()}`);
  return stdout;
}
