import { describe, expect, it } from 'vitest';
import { serviceName } from '../../../../src/api/names.ts';
import { LONGEST_NAME, names } from '../../../../src/core/rules/names.ts';
import { subjectOf } from '../../../../src/core/rules/subject.ts';
import { aCluster } from '../../../support/builders.ts';
import { expectFinding, expectNothing } from '../../../support/verdict.ts';

const named = (name: string): ReturnType<typeof aCluster> => aCluster({ name });
const generated = (generateName: string): ReturnType<typeof aCluster> =>
  aCluster({ name: '', metadata: { generateName } });

describe('names', () => {
  it('leaves room for what is put before the name of the Service, which is one label', () => {
    expect(LONGEST_NAME).toBe(58);
    expect(serviceName('a'.repeat(LONGEST_NAME))).toHaveLength(63);
  });

  it.each(['a', '7', 'demo', '2-fast', 'a2b9', 'a--b', 'a'.repeat(58)])('allows %s', (name) => {
    expectNothing(names, named(name));
  });

  it.each([
    ['a dot, which a custom resource may have', 'my.cluster', 'lower case letters, digits'],
    ['a capital', 'Demo', 'lower case letters, digits'],
    ['a hyphen at the start', '-demo', 'start and end with a letter or digit'],
    ['a hyphen at the end', 'demo-', 'start and end with a letter or digit'],
    ['an underscore', 'my_demo', 'lower case letters, digits'],
    ['a line break at the end', 'demo\n', 'lower case letters, digits'],
    ['one character too many', 'a'.repeat(59), 'no more than 58 characters'],
    ['the longest label', 'a'.repeat(63), 'may have 63)'],
  ])('refuses %s', (_what, name, says) => {
    expectFinding(names, named(name), { path: 'metadata.name', says });
  });

  it('tells both faults of a name at once', () => {
    const findings = names.check(subjectOf(named(`${'a'.repeat(60)}.b`)));
    expect(findings.map(({ message }) => message.includes('58'))).toEqual([false, true]);
  });

  it.each(['demo-', 'demo', 'a'.repeat(53)])('allows to generate a name from %s', (generateName) => {
    expectNothing(names, generated(generateName));
  });

  it.each([
    ['what can make no label', 'demo.', 'lower case letters, digits'],
    [
      'what is too long with the five characters of the API server',
      'a'.repeat(54),
      'may have 63); 5 more are generated',
    ],
  ])('refuses to generate a name from %s', (_what, generateName, says) => {
    expectFinding(names, generated(generateName), { path: 'metadata.generateName', says });
  });

  it('judges the name where there are both', () => {
    expectNothing(names, aCluster({ name: 'demo', metadata: { generateName: 'A.' } }));
  });

  it('leaves an object without any name to the check of the structure', () => {
    expectNothing(names, named(''));
    expectNothing(names, generated(''));
  });
});
