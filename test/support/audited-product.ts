import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installCrd, Product } from '../../src/cli/demo/product.ts';
import { type ControlPlane, startControlPlane } from '../../src/control-plane/control-plane.ts';
import { ensureBinaries } from '../../src/control-plane/ensure-binaries.ts';
import { Watchdog } from '../../src/control-plane/watchdog.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { administrator } from './admin.ts';
import { PROGRAM } from './control-plane.setup.ts';

/** One call of one of the product's service accounts, as the API server's audit log has it. */
export interface AuditedCall {
  /** `controller` or `webhook`. */
  readonly part: string;
  readonly verb: string;
  /** With its subresource: `daskclusters/status`. */
  readonly resource: string;
  readonly apiGroup: string;
  readonly name: string;
  /** Epoch milliseconds of its arrival. */
  readonly at: number;
  readonly allowed: boolean;
}

interface AuditEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestReceivedTimestamp: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
    readonly name?: string;
  };
  readonly annotations?: Readonly<Record<string, string>>;
}

export const PRODUCT_NAMESPACE = 'daskwarden-system';
const ACCOUNT = `system:serviceaccount:${PRODUCT_NAMESPACE}:daskwarden-`;
const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', users: [`${ACCOUNT}controller`, `${ACCOUNT}webhook`] }, { level: 'None' }],
};

/** A control plane that may be maltreated, with the product on it, and a record of every call that the product makes. */
export class AuditedProduct {
  readonly plane: ControlPlane;
  readonly client: KubeClient;
  /** Changes with every restart of one of its processes. */
  product: Product;
  private readonly folder: string;
  private readonly watchdog: Watchdog;

  private constructor(
    parts: Pick<AuditedProduct, 'plane' | 'client' | 'product'> & { folder: string; watchdog: Watchdog },
  ) {
    this.plane = parts.plane;
    this.client = parts.client;
    this.product = parts.product;
    this.folder = parts.folder;
    this.watchdog = parts.watchdog;
  }

  static async start(): Promise<AuditedProduct> {
    const folder = await mkdtemp(join(tmpdir(), 'daskwarden-audit-'));
    await writeFile(join(folder, 'policy.json'), JSON.stringify(POLICY));
    const flags = [
      `--audit-policy-file=${join(folder, 'policy.json')}`,
      `--audit-log-path=${auditLog(folder)}`,
      // As strict as it gets: without the right to the finalizers no child could be owned.
      '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
    ];
    const options = { report: () => undefined, signal: new AbortController().signal, env: process.env };
    const binaries = await ensureBinaries(options);
    const plane = await startControlPlane({ ...options, binaries, flags: { 'kube-apiserver': flags } });
    const watchdog = await Watchdog.start();
    try {
      const kubectl: typeof plane.kubectl = (args, more) => plane.kubectl(args, more);
      await installCrd({ kubectl });
      const product = await Product.start({
        kubectl,
        server: plane.server,
        caPem: plane.caPem,
        directory: plane.directory,
        watchdog,
        namespace: PRODUCT_NAMESPACE,
        webhookHost: 'localhost',
        program: PROGRAM,
        flags: { webhook: ['--drain-seconds=0'] },
      });
      const client = await administrator(plane.kubeconfigPath);
      return new AuditedProduct({ plane, client, product, folder, watchdog });
    } catch (error) {
      await plane.stop();
      await watchdog.stop();
      throw error;
    }
  }

  async restart(part: 'controller' | 'webhook'): Promise<void> {
    this.product = await this.product.restart(part);
  }

  /** Every call so far, once each: a watch when it began. */
  async calls(): Promise<readonly AuditedCall[]> {
    const lines = (await readFile(auditLog(this.folder), 'utf8')).trimEnd().split('\n');
    const events = new Map<string, AuditEvent>();
    for (const line of lines) {
      const event = JSON.parse(line) as AuditEvent;
      if (!events.has(event.auditID)) events.set(event.auditID, event);
    }
    return [...events.values()].map((event) => {
      const { resource = '', subresource, apiGroup = '', name = '' } = event.objectRef ?? {};
      return {
        part: event.user.username.slice(ACCOUNT.length),
        verb: event.verb,
        resource: subresource === undefined ? resource : `${resource}/${subresource}`,
        apiGroup,
        name,
        at: Date.parse(event.requestReceivedTimestamp),
        allowed: event.annotations?.['authorization.k8s.io/decision'] === 'allow',
      };
    });
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.product.stop();
    await this.plane.stop();
    await this.watchdog.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function auditLog(folder: string): string {
  return join(folder, 'audit.log');
}
