import { expect, it } from 'vitest';
import { askOracle } from '../support/oracle.ts';
import { asRendered, differenceOf, PRODUCT_RULES, type Difference } from './differences.ts';
import { minimal } from './minimal.ts';
import { adminClient, openApiOf } from './server.ts';
import { OurJudgement } from './our-judgement.ts';
import { randomManifests, type RandomManifest } from './random-manifest.ts';
import { ORACLE_MANIFESTS, SEED } from './sizes.ts';

const BATCH = 1_000;
/** A few say it all; each is made small, which takes its time. */
const MOST_SHOWN = 3;
/** Of `spec.worker.template.spec`. */
const PART_DEPTH = 3;

async function differences(
  manifests: readonly RandomManifest[],
  ours: OurJudgement,
): Promise<readonly (Difference | undefined)[]> {
  const [theirs, verdicts] = await Promise.all([askOracle(manifests.map(asRendered)), ours.of(manifests)]);
  return manifests.map((_, index) => differenceOf(verdicts[index]!.findings, theirs[index]!));
}

/** The same fault, wherever it has moved to. */
function isAlike(one: Difference | undefined, other: Difference): boolean {
  const field = ({ what }: Difference): string => what.replace(/: .*/s, '').replaceAll(/[.[]\d+\]?/g, '');
  return one?.kind === other.kind && field(one) === field(other);
}

it(
  `judges ${ORACLE_MANIFESTS} random manifests as Kubernetes does`,
  async () => {
    await using admin = await adminClient();
    const openApi = await openApiOf(admin.client);
    await using ours = new OurJudgement();
    const counts = { judged: 0, denied: 0, deniedByOurRulesAlone: 0 };
    const byRule = new Map<string, number>();
    const found: { readonly manifest: RandomManifest; readonly difference: Difference }[] = [];
    for (let begin = 0; begin < ORACLE_MANIFESTS; begin += BATCH) {
      const count = Math.min(BATCH, ORACLE_MANIFESTS - begin);
      const manifests = await randomManifests(openApi, { seed: SEED + begin, count });
      const [theirs, verdicts] = await Promise.all([
        askOracle(manifests.map(asRendered)),
        ours.of(manifests),
      ]);
      for (const [index, manifest] of manifests.entries()) {
        const { findings, denied } = verdicts[index]!;
        counts.judged += 1;
        if (denied) counts.denied += 1;
        if (denied && theirs[index]!.allowed) counts.deniedByOurRulesAlone += 1;
        for (const rule of new Set(
          findings.filter(({ level }) => level === 'error').map(({ rule: id }) => id),
        )) {
          byRule.set(rule, (byRule.get(rule) ?? 0) + 1);
        }
        const difference = differenceOf(findings, theirs[index]!);
        if (difference !== undefined) found.push({ manifest, difference });
      }
    }
    console.log(`seed ${SEED}:`, counts, 'manifests with an error of', Object.fromEntries(byRule));
    const shown = await Promise.all(
      found.slice(0, MOST_SHOWN).map(async ({ manifest, difference }) => {
        const small = await minimal(manifest, PART_DEPTH, async (candidates) =>
          (await differences(candidates, ours)).map((other) => isAlike(other, difference)),
        );
        const [still] = await differences([small], ours);
        return `${still?.kind ?? ''}: ${still?.what ?? ''}\n${JSON.stringify(small)}`;
      }),
    );
    expect(shown, `${found.length} differences, seed ${SEED}`).toEqual([]);
    // The comparison is worth something only where both verdicts are frequent.
    expect(counts.denied / counts.judged).toBeGreaterThan(0.3);
    expect(counts.denied / counts.judged).toBeLessThan(0.8);
    expect(
      [...byRule.keys()].filter((rule) => rule !== 'pod-validation' && PRODUCT_RULES[rule] === undefined),
    ).toEqual([]);
  },
  60_000 + ORACLE_MANIFESTS * 60,
);
