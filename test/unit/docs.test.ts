import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { format } from '../../src/core/findings.ts';
import { judge } from '../../src/core/judge.ts';

const ROOT = join(import.meta.dirname, '..', '..');

interface Page {
  /** From the root of the repository. */
  readonly name: string;
  readonly text: string;
}

function page(name: string): Page {
  return { name, text: readFileSync(join(ROOT, name), 'utf8') };
}

function markdownIn(folder: string, recursive: boolean): Page[] {
  return readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => page(join(folder, name)));
}

const PAGES = [...markdownIn('.', false), ...markdownIn('docs', true)];

/** Targets of links that stay in the repository, as they are written. */
function linksOf({ text }: Page): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** What GitHub makes of the headings of a page. */
function anchorsOf({ text }: Page): string[] {
  const headings = text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Files and folders that a page names from the root, in its prose, tables and commands. */
function pathsOf({ text }: Page): string[] {
  const named = text.matchAll(
    /(?<![\w-])(?<!\w\/)(?<!\.\.\/)(?:src|webhooks|crds|test|docs|examples)\/[\w./-]*/g,
  );
  return [...named].map(([path]) => path.replace(/[./]+$/, ''));
}

describe.each(PAGES)('$name', (each) => {
  it('links to what is there', () => {
    const broken = linksOf(each).filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? each.name : join(dirname(each.name), path);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(page(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('names files and folders that are there', () => {
    expect(pathsOf(each).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const named = [...each.text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
    expect(named.filter((name) => !Object.keys(scripts).includes(name ?? ''))).toEqual([]);
  });
});

describe('README.md', () => {
  const { text } = page('README.md');

  // A process of its own, which starts Kubernetes' validation: a second alone, many on a busy machine.
  it("shows what 'check' really prints", { timeout: 60_000 }, async () => {
    const [, command = '', shown] = /```console\n\$ npx node (.*)\n([^]*?)```/.exec(text) ?? [];
    const run = promisify(execFile)(process.execPath, command.split(' '), { cwd: ROOT });
    await expect(run).rejects.toMatchObject({ code: 1, stdout: shown });
  });

  it('has manifests that are accepted', () => {
    const manifests = [...text.matchAll(/```yaml\n([^]*?)```/g)].map(([, yaml = '']): unknown => parse(yaml));
    expect(manifests).not.toEqual([]);
    expect(manifests.flatMap((object) => judge({ object }).findings.map(format))).toEqual([]);
  });
});

it('every decision is in the list of decisions', () => {
  const listed = linksOf(page('docs/decisions/README.md'));
  const pages = markdownIn('docs/decisions', false).map(({ name }) => relative('docs/decisions', name));
  expect(listed).toEqual(pages.filter((name) => name !== 'README.md').sort());
});
