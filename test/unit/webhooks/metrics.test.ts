import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { WebhookMetrics, type ReviewObservation } from '../../../webhooks/metrics.ts';
import { VERSION } from '../../../src/platform/version.ts';

const REVIEW: ReviewObservation = {
  path: '/validate/daskclusters',
  outcome: 'deny',
  seconds: 0,
  findings: [],
};

/** The samples, by name and labels. */
async function samples(metrics: WebhookMetrics): Promise<ReadonlyMap<string, number>> {
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

it('counts reviews by path and verdict, with their times', async () => {
  const metrics = new WebhookMetrics();
  metrics.observeReview({ ...REVIEW, seconds: 0.003 });
  metrics.observeReview({ ...REVIEW, seconds: 0.2 });
  metrics.observeReview({ ...REVIEW, path: '/mutate/pods', outcome: 'patch' });
  const found = await samples(metrics);
  expect(
    found.get('daskwarden_admission_review_duration_seconds_count{path="/mutate/pods",verdict="allow"}'),
  ).toBe(1);
  const of = 'path="/validate/daskclusters",verdict="deny"';
  expect(found.get(`daskwarden_admission_review_duration_seconds_count{${of}}`)).toBe(2);
  expect(found.get(`daskwarden_admission_review_duration_seconds_sum{${of}}`)).toBeCloseTo(0.203);
  expect(found.get(`daskwarden_admission_review_duration_seconds_bucket{le="0.005",${of}}`)).toBe(1);
});

it('counts findings by rule and level', async () => {
  const metrics = new WebhookMetrics();
  const error = { rule: 'images', level: 'error' } as const;
  metrics.observeReview({ ...REVIEW, findings: [error, error, { ...error, level: 'warning' }] });
  const found = await samples(metrics);
  expect(
    found.get(
      'daskwarden_admission_findings_total{path="/validate/daskclusters",rule="images",level="error"}',
    ),
  ).toBe(2);
  expect(
    found.get(
      'daskwarden_admission_findings_total{path="/validate/daskclusters",rule="images",level="warning"}',
    ),
  ).toBe(1);
});

it('tells of certificate, podcheck, cache, access reviews and configuration', async () => {
  const metrics = new WebhookMetrics();
  metrics.setCertificateExpiry(1_800_000_000_500);
  metrics.setPodcheckVersion('1.36.3');
  metrics.observePodcheck(0.0007);
  metrics.countPodcheckReplacement('timeout');
  metrics.countCacheLookUp('hit');
  metrics.countAccessReview('denied');
  metrics.countReload('refused');
  const found = await samples(metrics);
  expect(found.get('daskwarden_serving_certificate_expiry_timestamp_seconds')).toBe(1_800_000_000.5);
  expect(found.get('daskwarden_podcheck_info{kubernetes_version="1.36.3"}')).toBe(1);
  expect(found.get('daskwarden_podcheck_verdict_duration_seconds_count')).toBe(1);
  expect(found.get('daskwarden_podcheck_replacements_total{reason="timeout"}')).toBe(1);
  expect(found.get('daskwarden_podcheck_replacements_total{reason="memory"}')).toBe(0);
  expect(found.get('daskwarden_verdict_cache_lookups_total{result="hit"}')).toBe(1);
  expect(found.get('daskwarden_access_reviews_total{result="denied"}')).toBe(1);
  expect(found.get('daskwarden_configuration_reloads_total{result="refused"}')).toBe(1);
  expect(found.get('daskwarden_configuration_last_reload_successful')).toBe(0);
  metrics.countReload('applied');
  expect((await samples(metrics)).get('daskwarden_configuration_last_reload_successful')).toBe(1);
});

it('says which program it is', async () => {
  const found = await samples(new WebhookMetrics());
  expect(found.get(`daskwarden_build_info{version="${VERSION}",node="${process.versions.node}"}`)).toBe(1);
});

it('sees an event loop that was blocked, and only since the last look', async () => {
  const metrics = new WebhookMetrics();
  await delay(20);
  const until = performance.now() + 150;
  while (performance.now() < until);
  await delay(20);
  const longest = 'daskwarden_event_loop_delay_seconds{statistic="max"}';
  expect((await samples(metrics)).get(longest)).toBeGreaterThan(0.1);
  expect((await samples(metrics)).get(longest)).toBe(0);
});

it('keeps two of a kind apart', async () => {
  const metrics = new WebhookMetrics();
  new WebhookMetrics().countAccessReview('allowed');
  expect((await samples(metrics)).get('daskwarden_access_reviews_total{result="allowed"}')).toBe(0);
});
