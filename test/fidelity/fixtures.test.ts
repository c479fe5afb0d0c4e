import { expect, it } from 'vitest';
import { askOracle } from '../support/oracle.ts';
import { isAtOrBelow, MANIFESTS } from '../support/manifests.ts';
import { asRendered, differenceOf } from './differences.ts';
import { OurJudgement } from './our-judgement.ts';

it('gives every fixture its verdict, at its path, as Kubernetes does', async () => {
  await using ours = new OurJudgement();
  const objects = MANIFESTS.map(({ object }) => object);
  const [verdicts, theirs] = await Promise.all([ours.of(objects), askOracle(objects.map(asRendered))]);
  const told = MANIFESTS.map(({ file, path }, index) => {
    const { findings } = verdicts[index]!;
    const errors = findings.filter(({ level }) => level === 'error');
    const isNamed = path === undefined || errors.some((error) => isAtOrBelow(error.path.toString(), path));
    return {
      file,
      verdict: errors.length === 0 ? 'allow' : 'deny',
      isNamed,
      difference: differenceOf(findings, theirs[index]!),
    };
  });
  expect(told).toEqual(
    MANIFESTS.map(({ file, expect: verdict }) => ({ file, verdict, isNamed: true, difference: undefined })),
  );
});
