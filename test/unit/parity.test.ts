import { describe, expect, it } from 'vitest';
import type { DaskCluster } from '../../src/api/dask-cluster.ts';
import { Judging } from '../../src/cli/check/judging.ts';
import { Verdicts } from '../../src/controller/verdicts.ts';
import { format, type Finding } from '../../src/core/findings.ts';
import { judge } from '../../src/core/judge.ts';
import { DEFAULT_POLICY } from '../../src/core/policy/policy.ts';
import { Judgement } from '../../webhooks/judgement.ts';
import type { Podcheck } from '../../webhooks/podcheck/podcheck.ts';
import { aGatewayCluster } from '../support/gateway-cluster.ts';
import { MANIFESTS } from '../support/manifests.ts';

/** Kubernetes' validation, which the controller leaves to Kubernetes, with nothing to say. */
const SILENT = {
  check: (pods: readonly unknown[]) => Promise.resolve(pods.map(() => ({}))),
} as unknown as Podcheck;

const OBJECTS: readonly [string, unknown][] = [
  ...MANIFESTS.map(({ file, object }): [string, unknown] => [file, object]),
  ['a sound cluster of dask-gateway', aGatewayCluster()],
  ['a faulty one', aGatewayCluster({ environment: { DASK_DISTRIBUTED: '{}' }, worker_memory: 512 })],
  ['no object at all', 'text'],
];

const said = (findings: readonly Finding[]): string[] =>
  findings.map((finding) => `${finding.level} ${finding.rule} ${format(finding)}`);

describe('webhook, controller and command line', () => {
  const { judge: webhook } = new Judgement({ podcheck: SILENT });
  const commandLine = new Judging(DEFAULT_POLICY, SILENT);
  const controller = new Verdicts({ policy: () => DEFAULT_POLICY, namespaceOf: () => undefined });

  it.each(OBJECTS)('say the same of %s', async (_what, object) => {
    const { findings } = judge({ object });
    const ofWebhook = await webhook({ object, policy: DEFAULT_POLICY, podSecurity: 'privileged' });
    expect(said(ofWebhook.findings)).toEqual(said(findings));
    const { findings: ofCommandLine } = await commandLine.judge(object, { defaultNamespace: 'default' });
    expect(said(ofCommandLine.filter(({ rule }) => rule !== 'reach'))).toEqual(said(findings));
  });

  it.each(MANIFESTS)('stalls $file for what admission refuses', ({ object }) => {
    const stored = { ...object, metadata: { ...(object['metadata'] as object), uid: 'uid', generation: 1 } };
    const { errors } = controller.of(stored as unknown as DaskCluster);
    const refused = judge({ object }).findings.filter(({ level }) => level === 'error');
    expect(said(errors)).toEqual(said(refused));
    controller.forget('uid');
  });
});
