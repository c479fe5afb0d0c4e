import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { moduleSource } from '../../../src/control-plane/cache.ts';
import { readStages } from '../../../src/control-plane/stages.ts';
import { BINARIES, isAcceptable, minorOf, MODULES, moduleOf } from '../../../src/control-plane/versions.ts';
import { parseAllDocuments } from 'yaml';

test.for(MODULES)(
  '$name: go.mod pins the stated version and lists every package as a tool',
  async (module) => {
    const goMod = await readFile(join(moduleSource(module), 'go.mod'), 'utf8');
    for (const path of Object.values(module.packages)) {
      expect(goMod).toMatch(new RegExp(`^(tool )?\\s*${path.replaceAll('.', '\\.')}$`, 'm'));
      const required = goMod
        .split('\n')
        .map((line) =>
          line
            .trim()
            .replace(/^require /, '')
            .split(' '),
        )
        .filter(([name, version]) => version?.startsWith('v') && `${path}/`.startsWith(`${name ?? ''}/`));
      expect(required.map(([, version]) => version)).toEqual([module.version]);
    }
  },
);

test('every executable is built from exactly one module', () => {
  const built = MODULES.flatMap(({ packages }) => Object.keys(packages));
  expect(built.toSorted()).toEqual([...BINARIES].sort());
  expect(moduleOf('kubectl').name).toBe('kubernetes');
});

test.for([
  ['kubectl', '1.36.0', true],
  ['kubectl', '1.36.11', true],
  ['kubectl', '1.3.6', false],
  ['kubectl', '2.36.3', false],
  ['etcd', '3.6.0', true],
  ['etcd', '3.5.16', false],
  ['kwok', '0.8.9', true],
] as const)('%s %s acceptable: %s', ([binary, version, acceptable]) => {
  expect(isAcceptable(binary, version)).toBe(acceptable);
});

test('the minor release of a version', () => {
  expect(minorOf('v1.36.3')).toBe('1.36');
});

test('the stages let nodes and pods become ready, keep nodes alive, end jobs and delete pods', async () => {
  const stages = parseAllDocuments(await readStages()).map((document) => document.toJS() as StageView);
  expect(stages.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Stage node-heartbeat-with-lease',
    'Stage node-initialize',
    'Stage pod-complete',
    'Stage pod-delete',
    'Stage pod-ready',
  ]);
});

interface StageView {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}
