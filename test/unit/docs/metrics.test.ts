import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { ControllerMetrics } from '../../../src/controller/metrics.ts';
import { WebhookMetrics } from '../../../webhooks/metrics.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../../docs/metrics.md'), 'utf8');

/** Every metric with a sample that has all of its labels. */
function webhook(): WebhookMetrics {
  const metrics = new WebhookMetrics();
  const findings = [{ rule: 'images', level: 'error' }] as const;
  metrics.observeReview({ path: '/validate/pods', outcome: 'deny', seconds: 0, findings });
  metrics.setPodcheckVersion('1.36.3');
  return metrics;
}

function controller(): ControllerMetrics {
  const metrics = new ControllerMetrics();
  metrics.observeReconcile('success', 0);
  const watch = { resource: 'pods', relists: 1, lastEventAt: 0, size: 0 };
  metrics.readFrom({
    queue: { depth: 0, inProgress: 0 },
    watches: [watch],
    events: { dropped: 0, failed: 0 },
  });
  return metrics;
}

/** The cells of a table's row for each metric of a text in Prometheus' format. */
function rowsOf(text: string): Map<string, readonly string[]> {
  const helps = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)];
  return new Map(
    helps.map(([, name = '', help = '']) => {
      const type = new RegExp(`^# TYPE ${name} (.*)$`, 'm').exec(text)?.[1] ?? '';
      const sample = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\}`, 'm').exec(text)?.[1] ?? '';
      const labels = [...sample.matchAll(/(\w+)="/g)]
        .map(([, label = '']) => label)
        .filter((label) => label !== 'le');
      return [name, [`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(', '), help]];
    }),
  );
}

function section(title: string): string[][] {
  const text = DOCUMENT.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  return [...text.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) =>
    row.split('|').map((cell) => cell.trim()),
  );
}

it('docs/metrics.md has every metric, as it tells of itself, where it belongs', async () => {
  const [ofWebhook, ofController] = [rowsOf(await webhook().text()), rowsOf(await controller().text())];
  const own = (rows: Map<string, readonly string[]>, other: Map<string, unknown>): (readonly string[])[] =>
    [...rows].filter(([name]) => !other.has(name)).map(([, row]) => row);
  expect(section('Of the webhook')).toEqual(own(ofWebhook, ofController));
  expect(section('Of the controller')).toEqual(own(ofController, ofWebhook));
  expect(section('Of both')).toEqual(
    [...ofWebhook].filter(([name]) => ofController.has(name)).map(([, row]) => row),
  );
});

it('every metric begins with the name of the product', async () => {
  const names = [...rowsOf(await webhook().text()).keys(), ...rowsOf(await controller().text()).keys()];
  expect(names.filter((name) => !name.startsWith('daskwarden_'))).toEqual([]);
});

it('docs/metrics.md watches only metrics that there are', async () => {
  const [, yaml = ''] = /```yaml\n([^]*?)```/.exec(DOCUMENT) ?? [];
  expect(parse(yaml)).toHaveProperty('groups[0].rules[4].alert');
  const text = `${await webhook().text()}${await controller().text()}`;
  const known = new Set([...rowsOf(text).keys()]);
  const named = [...yaml.matchAll(/daskwarden_\w+/g)].map(([name]) => name.replace(/_count$/, ''));
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
