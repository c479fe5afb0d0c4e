import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Finding } from '../src/core/findings.ts';
import type { ReloadResult } from '../src/platform/configuration-file.ts';
import { ProcessMetrics } from '../src/platform/process-metrics.ts';
import type { Outcome } from './decision-log.ts';

export interface ReviewObservation {
  /** One of the registered paths, without a query. */
  readonly path: string;
  /** `error` where there was no decision, so that the API server saw a failed call. */
  readonly outcome: Outcome | 'error';
  readonly seconds: number;
  readonly findings: readonly Pick<Finding, 'rule' | 'level'>[];
}

/** Why a podcheck was ended and replaced. */
export type ReplacementReason = 'timeout' | 'memory' | 'crash';

export type AccessResult = 'allowed' | 'denied' | 'error';

/** From a verdict of the cache to what the API server waits for at most. */
const REVIEW_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const VERDICT_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** What the webhook tells of itself. No label ever holds a name out of a request: their number would have no bound. */
export class WebhookMetrics {
  /** Of the text that {@link text} gives. */
  readonly contentType: string;
  private readonly registry = new Registry();
  private readonly process: ProcessMetrics;
  private readonly reviews: Histogram<'path' | 'verdict'>;
  private readonly findings: Counter<'path' | 'rule' | 'level'>;
  private readonly certificateExpiry: Gauge;
  private readonly podcheckInfo: Gauge<'kubernetes_version'>;
  private readonly podcheckVerdicts: Histogram;
  private readonly podcheckReplacements: Counter<'reason'>;
  private readonly cacheLookUps: Counter<'result'>;
  private readonly accessReviews: Counter<'result'>;

  constructor() {
    const registers = [this.registry];
    this.contentType = this.registry.contentType;
    this.process = new ProcessMetrics(this.registry);
    this.reviews = new Histogram({
      name: 'daskwarden_admission_review_duration_seconds',
      help: 'Time from a request that has arrived to its answer; the verdict is allow, warn, spare, deny or error.',
      labelNames: ['path', 'verdict'],
      buckets: REVIEW_BUCKETS_SECONDS,
      registers,
    });
    this.findings = new Counter({
      name: 'daskwarden_admission_findings_total',
      help: 'Findings that were told, by the id of the rule. Both paths for clusters tell of the same ones.',
      labelNames: ['path', 'rule', 'level'],
      registers,
    });
    this.certificateExpiry = new Gauge({
      name: 'daskwarden_serving_certificate_expiry_timestamp_seconds',
      help: 'When the certificate in use expires, as a Unix time; 0 while there is none.',
      registers,
    });
    this.podcheckInfo = new Gauge({
      name: 'daskwarden_podcheck_info',
      help: 'Always 1; the version of Kubernetes whose validation judges the pods.',
      labelNames: ['kubernetes_version'],
      registers,
    });
    this.podcheckVerdicts = new Histogram({
      name: 'daskwarden_podcheck_verdict_duration_seconds',
      help: "Time that Kubernetes' own validation took for the pods of a cluster, waiting included.",
      buckets: VERDICT_BUCKETS_SECONDS,
      registers,
    });
    this.podcheckReplacements = counter(this.registry, {
      name: 'daskwarden_podcheck_replacements_total',
      help: 'Instances of podcheck that were ended and replaced, by reason: timeout, memory or crash.',
      label: 'reason',
      values: ['timeout', 'memory', 'crash'] satisfies ReplacementReason[],
    });
    this.cacheLookUps = counter(this.registry, {
      name: 'daskwarden_verdict_cache_lookups_total',
      help: 'Verdicts on pods that were looked for in the cache, by result: hit or miss.',
      label: 'result',
      values: ['hit', 'miss'],
    });
    this.accessReviews = counter(this.registry, {
      name: 'daskwarden_access_reviews_total',
      help: 'SubjectAccessReviews sent to the API server, by result: allowed, denied or error.',
      label: 'result',
      values: ['allowed', 'denied', 'error'] satisfies AccessResult[],
    });
  }

  observeReview({ path, outcome, seconds, findings }: ReviewObservation): void {
    // A patch is the daily business of the injection.
    this.reviews.observe({ path, verdict: outcome === 'patch' ? 'allow' : outcome }, seconds);
    for (const { rule, level } of findings) this.findings.inc({ path, rule, level });
  }

  setCertificateExpiry(expiresAtMs: number): void {
    this.certificateExpiry.set(expiresAtMs / 1000);
  }

  /** @param version as `1.36.3` */
  setPodcheckVersion(version: string): void {
    this.podcheckInfo.set({ kubernetes_version: version }, 1);
  }

  observePodcheck(seconds: number): void {
    this.podcheckVerdicts.observe(seconds);
  }

  countPodcheckReplacement(reason: ReplacementReason): void {
    this.podcheckReplacements.inc({ reason });
  }

  countCacheLookUp(result: 'hit' | 'miss'): void {
    this.cacheLookUps.inc({ result });
  }

  countAccessReview(result: AccessResult): void {
    this.accessReviews.inc({ result });
  }

  countReload(result: ReloadResult): void {
    this.process.countReload(result);
  }

  /** All metrics in Prometheus' text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}

interface LabelledCounter<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly label: L;
  /** All that there are: each begins at 0, so that its first one is seen as an increase. */
  readonly values: readonly string[];
}

function counter<const L extends string>(
  registry: Registry,
  { name, help, label, values }: LabelledCounter<L>,
): Counter<L> {
  const made = new Counter({ name, help, labelNames: [label], registers: [registry] });
  for (const value of values) made.inc({ [label]: value } as Record<L, string>, 0);
  return made;
}
