import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { UsageError } from '../../../../src/cli/usage-error.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { runCheck, sharePodcheck } from '../../../support/run-check.ts';

sharePodcheck();

const GOOD = {
  apiVersion: 'gateway.dask.org/v1alpha1',
  kind: 'DaskCluster',
  metadata: { name: 'good' },
  spec: {
    scheduler: {
      template: { spec: { containers: [{ name: 'dask-scheduler', image: 'ghcr.io/dask/dask' }] } },
    },
    worker: {
      replicas: 1,
      template: { spec: { containers: [{ name: 'dask-worker', image: 'ghcr.io/dask/dask' }] } },
    },
  },
} as const;

/** What only Kubernetes' own validation knows: a mount of a volume that is not there. */
const BAD = structuredClone({ ...GOOD, metadata: { name: 'bad', namespace: 'own' } }) as unknown as {
  spec: { worker: { template: { spec: { containers: [Record<string, unknown>] } } } };
};
BAD.spec.worker.template.spec.containers[0]['volumeMounts'] = [{ name: 'nowhere', mountPath: '/x' }];

const PLACE = 'spec.worker.template.spec.containers[0].volumeMounts[0].name';

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('exit code and text', () => {
  it('0: says so where nothing would be refused', async () => {
    const stdin = `# Source: chart/templates/none.yaml\n---\n${stringify(GOOD)}---\nkind: ConfigMap\n`;
    expect(await runCheck(['-'], { stdin })).toEqual({
      code: 0,
      lines: ['1 DaskCluster, 0 would be refused'],
      errors: [],
    });
  });

  it('1: names file, line, column, path, rule and what is possible', async () => {
    const folder = await folderWith({
      'b.yml': stringify(BAD),
      'deep/a.json': JSON.stringify({ kind: 'List', items: [GOOD, BAD] }),
      'notes.txt': 'a: [',
    });
    const { code, lines } = await runCheck([folder]);
    expect(code).toBe(1);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(`${folder}/b.yml:21:17: error ${PLACE}: Not found: "nowhere" [pod-validation]`);
    expect(lines[1]).toMatch(`${folder}/deep/a.json:1:`);
    expect(lines[2]).toBe('3 DaskClusters, 2 would be refused');
  });

  it('2: names what cannot be read, and judges the rest', async () => {
    const folder = await folderWith({ 'broken.yaml': 'a: 1\nb: [\n---\n' + stringify(BAD) });
    const absent = join(folder, 'absent.yaml');
    const { code, lines } = await runCheck([absent, join(folder, 'broken.yaml')]);
    expect(code).toBe(2);
    expect(lines[0]).toMatch(`${absent}: error ENOENT`);
    expect(lines[1]).toMatch(`${folder}/broken.yaml:3:1: error Flow sequence`);
    expect(lines[2]).toContain(PLACE);
    expect(lines[3]).toBe('1 DaskCluster, 1 would be refused; 2 files could not be read');
  });

  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
  ])('with %j and a terminal: %j, colours: %j', async (env, isTTY, coloured) => {
    const { lines } = await runCheck(['-'], { stdin: 'a: [', env: env, isTTY });
    expect(lines[0]?.includes('\u001b[31merror\u001b[39m')).toBe(coloured);
  });
});

describe('jsonl', () => {
  it('has one line a document and nothing else', async () => {
    const stdin = `${stringify(GOOD)}---\n${stringify(BAD)}---\nkind: Pod\n---\na: [\n`;
    const { code, lines, errors } = await runCheck(['-', '--output=jsonl', '-n', 'mine', '/nowhere'], {
      stdin,
    });
    expect(code).toBe(2);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { file: '<stdin>', line: 1, namespace: 'mine', name: 'good', verdict: 'allow', findings: [] },
      {
        ...{ file: '<stdin>', line: 20, namespace: 'own', name: 'bad', verdict: 'deny' },
        findings: [
          {
            ...{ level: 'error', path: PLACE, rule: 'pod-validation', message: 'Not found: "nowhere"' },
            ...{ line: 40, column: 17 },
          },
        ],
      },
      {
        ...{ file: '<stdin>', line: 46, namespace: '', name: '', verdict: 'deny' },
        findings: [expect.objectContaining({ level: 'error', rule: 'unreadable', line: 46, column: 1 })],
      },
    ]);
    expect(errors).toEqual([expect.stringContaining('/nowhere: ENOENT')]);
  });
});

describe('policy', () => {
  const policy = async (text: string): Promise<string> =>
    join(await folderWith({ 'policy.yaml': text }), 'policy.yaml');

  it('sets levels of rules', async () => {
    const file = await policy('rules:\n  pod-validation: Warn\n');
    const { code, lines } = await runCheck(['-', '--policy', file], { stdin: stringify(BAD) });
    expect(code).toBe(0);
    expect(lines[0]).toMatch(`warning ${PLACE}`);
  });

  it('is refused with the place of each fault', async () => {
    const file = await policy('enforcement: Sometimes\nrules:\n  nonsense: Off\n');
    const { code, lines, errors } = await runCheck(['-', '--policy', file], { stdin: stringify(GOOD) });
    expect({ code, lines }).toEqual({ code: 2, lines: [] });
    expect(errors.map((line) => line.replace(/: .*/, ''))).toEqual([`${file}:1:1`, `${file}:3:3`]);
    expect(errors[0]).toMatch(/enforcement: .*Warn/);
  });

  it.each([
    ['', 'is empty'],
    ['a: [', ':1:5: Flow sequence'],
    ['{}\n---\n{}\n', 'must be one document'],
    ['enforcement: Warn\nenforcement: Deny\n', ':2:1: the key "enforcement" is there already'],
  ])('%j: %s', async (text, message) => {
    const file = await policy(text);
    const { code, errors } = await runCheck(['-', '--policy', file]);
    expect(code).toBe(2);
    expect(errors.join('\n')).toContain(message);
  });
});

describe('reach', () => {
  it('is a warning, for who will ask is not known', async () => {
    const reaching = structuredClone(GOOD) as unknown as {
      spec: { scheduler: { template: { spec: Record<string, unknown> } } };
    };
    reaching.spec.scheduler.template.spec['hostNetwork'] = true;
    const { code, lines } = await runCheck(['-'], { stdin: stringify(reaching) });
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/warning spec\.scheduler\.template\.spec\.hostNetwork: .* \[reach\]/);
  });
});

describe('usage', () => {
  it.each([
    [[], 'name at least one file'],
    [['--output=xml', '-'], '--output: must be one of text, jsonl, github, sarif, not'],
    [['--live', 'a.yaml'], '--live: judges what is stored'],
    [['--live', '--server'], 'one at a time'],
    [['-A', 'a.yaml'], '--all-namespaces: only with --live'],
    [['--live', '-A', '-n', 'a'], 'one of the two'],
    [['--context', 'a', 'a.yaml'], 'only with --server or --live'],
    [['--namespace=', 'a.yaml'], '--namespace: must not be empty'],
    [['--unheard-of'], '--unheard-of'],
  ])('%j: %s', async (args, message) => {
    const failed = runCheck(args);
    await expect(failed).rejects.toThrow(UsageError);
    await expect(failed).rejects.toThrow(message);
  });

  it('is printed on demand', async () => {
    const { code, lines } = await runCheck(['--help']);
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^usage: daskwarden check/);
  });
});
