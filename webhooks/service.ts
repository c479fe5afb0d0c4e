import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { WEBHOOK_AUTHORITY_SECRET } from '../src/api/names.ts';
import type { Policy } from '../src/core/policy/policy.ts';
import type { KubeClient } from '../src/kube/client.ts';
import { serviceDnsNames } from '../src/pki/service-dns-names.ts';
import { systemClock } from '../src/platform/clock.ts';
import type { ConfigurationFile } from '../src/platform/configuration-file.ts';
import type { Logger } from '../src/platform/logger.ts';
import { ProbeServer, type ReadinessCheck } from '../src/platform/probes.ts';
import { VERSION } from '../src/platform/version.ts';
import { AccessReviews } from './access-reviews.ts';
import type { AccessCheck, AdmissionContext } from './admission-context.ts';
import type { CertificateMode } from './certificate-flags.ts';
import type { LeafSource } from './certificate-source.ts';
import { LeafKeeper } from './certificate.ts';
import { ClusterCache } from './cluster-cache.ts';
import { Judgement } from './judgement.ts';
import { WebhookMetrics, type ReplacementReason } from './metrics.ts';
import { MountedCertificate } from './mounted-certificate.ts';
import { NamespaceCache } from '../src/kube/namespace-cache.ts';
import { Podcheck, type PodcheckEvent } from './podcheck/podcheck.ts';
import { podcheckRelease } from './podcheck/release.ts';
import { admissionHandlers } from './routes.ts';
import { dialOurselves } from './self-dial.ts';
import { AdmissionServer } from './server.ts';
import { ServerFields } from './server-fields.ts';

export interface ServiceOptions {
  readonly client: KubeClient;
  /** Of the product itself. */
  readonly namespace: string;
  readonly serviceName: string;
  readonly policy: () => Policy;
  /** Where the policy comes from; absent where the defaults are in force. */
  readonly configuration: ConfigurationFile<Policy> | undefined;
  readonly certificate: CertificateMode;
  readonly address: { readonly host: string; readonly port: number };
  readonly probe: { readonly host: string; readonly port: number };
  readonly drainMs: number;
  readonly log: Logger;
}

const REPLACEMENTS = { 'too-slow': 'timeout', memory: 'memory', broken: 'crash' } as const satisfies Record<
  Extract<PodcheckEvent, { kind: 'replaced' }>['cause'],
  ReplacementReason
>;

/** The webhook's parts, put together. */
export class WebhookService {
  private readonly options: ServiceOptions;
  private readonly metrics = new WebhookMetrics();
  private readonly podcheck: Podcheck;
  private readonly namespaces: NamespaceCache;
  private readonly clusters: ClusterCache;
  private readonly serverFields: ServerFields;
  private readonly server: AdmissionServer;
  private readonly leaf: LeafSource;
  private readonly synced = new Set<string>();
  private dialProblem: string | undefined = 'not tried yet';
  private isDraining = false;

  constructor(options: ServiceOptions) {
    const { client, policy, log } = options;
    this.options = options;
    this.podcheck = new Podcheck({
      observe: (event) => {
        this.observePodcheck(event);
      },
    });
    const watched = { client, clock: systemClock, random: Math.random, log };
    this.namespaces = new NamespaceCache(watched);
    this.clusters = new ClusterCache({
      ...watched,
      policy,
      namespaceOf: (name) => this.namespaces.get(name),
    });
    this.namespaces.onChange(() => {
      this.clusters.recount();
    });
    this.serverFields = new ServerFields({ client, clock: systemClock, log });
    const { metrics } = this;
    metrics.setPodcheckVersion(podcheckRelease().kubernetes);
    options.configuration?.onReload((result) => {
      metrics.countReload(result);
    });
    this.server = new AdmissionServer({
      handlers: admissionHandlers(this.context()),
      log,
      observe: (review) => {
        metrics.observeReview(review);
      },
    });
    this.leaf = this.leafSource();
  }

  /** Serves until the signal aborts, and then until the last answer is out. */
  async run(signal: AbortSignal): Promise<void> {
    const { address, probe, drainMs, log, configuration } = this.options;
    const probes = new ProbeServer({ ...probe, checks: this.checks(), metrics: this.metricsSource() });
    const background = new AbortController();
    try {
      const port = await this.server.listen(address);
      const probePort = await probes.listen();
      log.info(
        { version: VERSION, port, probePort, kubernetes: podcheckRelease().kubernetes },
        'webhook started',
      );
      const target = {
        address: { host: address.host, port },
        leaf: this.leaf,
        dnsName: `${this.options.serviceName}.${this.options.namespace}.svc`,
        clock: systemClock,
      };
      const work = Promise.all([
        this.leaf.run(background.signal),
        this.namespaces.run(background.signal),
        this.clusters.run(background.signal),
        this.serverFields.run(background.signal),
        configuration?.run(background.signal),
        dialOurselves(target, background.signal, (problem) => {
          this.dialled(problem);
        }),
        this.prepare(background.signal),
      ]);
      // What fails here is rethrown below, when every answer is out.
      await Promise.race([work.catch(() => undefined), once(signal, 'abort')]);
      this.isDraining = true;
      // The API server may still choose this replica until everybody has seen that it is not ready.
      this.server.startDraining();
      await systemClock.sleep(drainMs);
      await this.server.close();
      background.abort();
      await work;
    } finally {
      background.abort();
      await this.server.close();
      await Promise.all([probes.close(), this.podcheck.close()]);
    }
    log.info({}, 'ended');
  }

  private context(): AdmissionContext {
    const { client, policy } = this.options;
    const judgement = new Judgement({
      podcheck: this.podcheck,
      release: podcheckRelease(),
      knownFields: () => this.serverFields.current,
      observeCache: (result) => {
        this.metrics.countCacheLookUp(result === 'miss' ? 'miss' : 'hit');
      },
    });
    const reviews = new AccessReviews({ client, clock: systemClock });
    return {
      policy,
      judge: judgement.judge,
      namespaceOf: (name) => this.namespaces.find(name),
      mayDo: this.observedAccess(reviews.check),
      clusterOf: (namespace, name) => this.clusters.clusterOf(namespace, name),
      usage: this.clusters,
    };
  }

  private leafSource(): LeafSource {
    const { client, namespace, serviceName, certificate, log } = this.options;
    const useLeaf: ConstructorParameters<typeof LeafKeeper>[0]['useLeaf'] = (leaf) => {
      this.server.useLeaf(leaf);
    };
    if (certificate.kind === 'secret') {
      const dnsName = `${serviceName}.${namespace}.svc`;
      return new MountedCertificate({
        directory: certificate.directory,
        dnsName,
        useLeaf,
        clock: systemClock,
        log,
      });
    }
    return new LeafKeeper({
      client,
      secret: { namespace, name: WEBHOOK_AUTHORITY_SECRET },
      dnsNames: serviceDnsNames(serviceName, namespace),
      useLeaf,
      clock: systemClock,
      randomBytes,
      log,
    });
  }

  /** Slow first verdicts and empty caches would be somebody's failed call. */
  private async prepare(signal: AbortSignal): Promise<void> {
    const { log } = this.options;
    const wait = async (name: string, done: Promise<unknown>): Promise<void> => {
      await done;
      this.synced.add(name);
      if (this.notReady === undefined) log.info({}, 'ready');
    };
    try {
      await Promise.all([
        wait('namespaces', this.namespaces.synced),
        wait('clusters', this.clusters.synced),
        wait('podcheck', this.podcheck.warmUp(signal)),
      ]);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    // Owners may be told by namespaces that the clusters were counted without.
    this.clusters.recount();
  }

  private checks(): readonly ReadinessCheck[] {
    const synced = (name: string, problem: string): ReadinessCheck => ({
      name,
      problem: () => (this.synced.has(name) ? undefined : problem),
    });
    return [
      { name: 'serving', problem: () => (this.isDraining ? 'draining' : undefined) },
      {
        name: 'certificate',
        problem: () => (this.leaf.notAfterMs === undefined ? 'there is none yet' : undefined),
      },
      { name: 'self-dial', problem: () => this.dialProblem },
      synced('namespaces', 'the first list is not there yet'),
      synced('clusters', 'the first list is not there yet'),
      synced('podcheck', 'it is warming up'),
    ];
  }

  private get notReady(): string | undefined {
    return this.checks()
      .map(({ problem }) => problem())
      .find((problem) => problem !== undefined);
  }

  private dialled(problem: string | undefined): void {
    if (problem === this.dialProblem) return;
    this.dialProblem = problem;
    const { log } = this.options;
    if (problem !== undefined) log.info({ problem }, 'not ready');
    else if (this.notReady === undefined) log.info({}, 'ready');
  }

  private metricsSource(): { readonly contentType: string; text(): Promise<string> } {
    const { metrics } = this;
    return {
      contentType: metrics.contentType,
      text: () => {
        const { notAfterMs } = this.leaf;
        if (notAfterMs !== undefined) metrics.setCertificateExpiry(notAfterMs);
        return metrics.text();
      },
    };
  }

  private observePodcheck(event: PodcheckEvent): void {
    if (event.kind === 'verdict') this.metrics.observePodcheck(event.seconds);
    if (event.kind === 'replaced') this.metrics.countPodcheckReplacement(REPLACEMENTS[event.cause]);
  }

  private observedAccess(check: AccessCheck): AccessCheck {
    return async (who, question) => {
      try {
        const allowed = await check(who, question);
        this.metrics.countAccessReview(allowed ? 'allowed' : 'denied');
        return allowed;
      } catch (error) {
        this.metrics.countAccessReview('error');
        throw error;
      }
    };
  }
}
