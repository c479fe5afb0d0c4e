import { expect, it } from 'vitest';
import { DASK_CLUSTERS } from '../../src/api/dask-cluster.ts';
import { PODS, type KubeObject, type Pod, type Resource } from '../../src/api/kubernetes.ts';
import { inOrder } from '../../src/cli/check/in-order.ts';
import { ownPod } from '../../src/cli/check/own-pod.ts';
import type { Verdict } from '../../src/core/judge.ts';
import { podsOf } from '../../src/core/pod-verdict/pods-of.ts';
import { DEFAULT_SETTINGS } from '../../src/core/plan/observed.ts';
import { DEFAULT_GATEWAY_SETTINGS } from '../../src/core/render/gateway/settings.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { ApiError } from '../../src/kube/errors.ts';
import { kubectlOk } from '../support/kubectl.ts';
import { freshNamespace } from '../support/namespaces.ts';
import { RUNTIME_CLASS, RUNTIME_OVERHEAD } from '../support/random-pod-values.ts';
import { PRODUCT_RULES } from './differences.ts';
import { inGatewayForm } from './gateway-form.ts';
import { OurJudgement } from './our-judgement.ts';
import { randomManifests } from './random-manifest.ts';
import { adminClient, openApiOf } from './server.ts';
import { SEED, SERVER_MANIFESTS } from './sizes.ts';

const AT_ONCE = 8;
/** One of so many manifests is in the gateway form. */
const GATEWAY_EVERY = 3;
const SETTINGS = { installation: DEFAULT_SETTINGS.installation, gateway: DEFAULT_GATEWAY_SETTINGS };

/** What depends on the rest of a cluster, which no manifest tells: `check --server` asks for it. */
const BY_PLUGINS: readonly RegExp[] = [
  /error looking up service account/,
  /no PriorityClass with name/,
  /integer value of priority/,
  /RuntimeClass/,
];

/** Undefined where the API server would take an object. */
type Refusal = ApiError | undefined;

async function dryRun(
  client: KubeClient,
  resource: Resource,
  namespace: string,
  object: KubeObject,
): Promise<Refusal> {
  try {
    await client.create(resource, { namespace }, object, { dryRun: true });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

interface Outcome {
  readonly cluster: Refusal;
  readonly pods: readonly ApiError[];
  readonly ours: Verdict;
}

/** What of an outcome contradicts "admitted if and only if Kubernetes admits, but for product rules". */
function contradiction({ cluster, pods, ours }: Outcome): string | undefined {
  const errors = ours.findings.filter(({ level }) => level === 'error');
  if (ours.denied !== (cluster !== undefined)) {
    return `check says ${ours.denied ? 'deny' : 'allow'}, the API server: ${cluster?.message ?? 'admitted'}`;
  }
  const invalid = pods.find(({ message }) => !BY_PLUGINS.some((pattern) => pattern.test(message)));
  if (cluster === undefined) return invalid && `admitted, but of a pod: ${invalid.message}`;
  if (pods.length > 0) return undefined;
  const strange = errors.find(({ rule }) => PRODUCT_RULES[rule] === undefined);
  return strange && `refused, but Kubernetes admits the pods: ${strange.path.toString()}: ${strange.message}`;
}

it(
  `admits of ${SERVER_MANIFESTS} random manifests those whose pods the API server admits`,
  async () => {
    await using admin = await adminClient();
    await using judgement = new OurJudgement();
    const { client } = admin;
    const runtimeClass = {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: RUNTIME_CLASS },
      handler: 'none',
      overhead: { podFixed: RUNTIME_OVERHEAD },
    };
    await kubectlOk(['apply', '-f', '-'], { input: JSON.stringify(runtimeClass) });
    const namespace = await freshNamespace();
    const generated = await randomManifests(await openApiOf(client), { seed: SEED, count: SERVER_MANIFESTS });
    const manifests = generated
      .map((manifest) => ({ ...manifest, metadata: { ...manifest.metadata, namespace } }))
      .map((manifest, index) => (index % GATEWAY_EVERY === 0 ? inGatewayForm(manifest) : manifest));
    const verdicts = await judgement.of(manifests);

    const send = async (manifest: object, index: number): Promise<Outcome> => {
      const ours = verdicts[index]!;
      const rendered: readonly Pod[] = podsOf(ours.sound, SETTINGS).map(({ pod }) => ownPod(pod, namespace));
      const [cluster, ...pods] = await Promise.all([
        dryRun(client, DASK_CLUSTERS, namespace, manifest as KubeObject),
        ...rendered.map((pod) => dryRun(client, PODS, namespace, pod)),
      ]);
      return { cluster, pods: pods.filter((refusal) => refusal !== undefined), ours };
    };
    const counts = { admitted: 0, refused: 0, byProductRulesAlone: 0, podsRefusedByPlugins: 0 };
    const contradictions: string[] = [];
    let index = 0;
    for await (const outcome of inOrder(manifests.entries(), AT_ONCE, ([at, manifest]) =>
      send(manifest, at),
    )) {
      const { cluster, pods } = outcome;
      if (cluster === undefined) counts.admitted += 1;
      else counts.refused += 1;
      if (cluster !== undefined && pods.length === 0) counts.byProductRulesAlone += 1;
      if (cluster === undefined && pods.length > 0) counts.podsRefusedByPlugins += 1;
      const found = contradiction(outcome);
      if (found !== undefined) contradictions.push(`${found}\n${JSON.stringify(manifests[index])}`);
      index += 1;
    }
    await kubectlOk(['delete', `runtimeclass/${RUNTIME_CLASS}`, '--wait=false']);
    console.log(`seed ${SEED}:`, counts);
    expect(contradictions.slice(0, 3), `${contradictions.length} contradictions, seed ${SEED}`).toEqual([]);
    expect(counts.admitted).toBeGreaterThan(SERVER_MANIFESTS / 4);
    expect(counts.refused).toBeGreaterThan(SERVER_MANIFESTS / 4);
  },
  120_000 + SERVER_MANIFESTS * 150,
);
