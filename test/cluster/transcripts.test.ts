import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { KubeClient } from '../../src/kube/client.ts';
import { NAMESPACES } from '../support/admin.ts';
import { clusterTest as it } from '../support/cluster-test.ts';
import { kubectl, kubectlApply } from '../support/kubectl.ts';
import { poll } from '../support/poll.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENT = readFileSync(join(ROOT, 'docs/admission.md'), 'utf8');

interface Transcript {
  /** The heading that it stands under. */
  readonly title: string;
  /** Command lines, and below each what it prints: warnings and errors first. */
  readonly text: string;
}

/** Every block of docs/admission.md in which kubectl is run. */
const TRANSCRIPTS: readonly Transcript[] = DOCUMENT.split(/^#+ /m).flatMap((section) => {
  const title = section.slice(0, section.indexOf('\n'));
  return [...section.matchAll(/```console\n(\$ kubectl [^]*?)```/g)].map(([, text = '']) => ({
    title,
    text,
  }));
});

/** People of the page. Ada may have clusters and no pods; Bob and Carol may have pods; only Carol is let connect. */
async function grantRights(namespace: string): Promise<void> {
  const rbac = 'rbac.authorization.k8s.io';
  const grant = (name: string, apiGroup: string, resource: string, users: readonly string[]): object[] => [
    {
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata: { name, namespace },
      rules: [{ apiGroups: [apiGroup], resources: [resource], verbs: ['get', 'create', 'patch'] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name, namespace },
      roleRef: { apiGroup: rbac, kind: 'Role', name },
      subjects: users.map((user) => ({ kind: 'User', apiGroup: rbac, name: user })),
    },
  ];
  const objects = [
    ...grant('clusters', 'gateway.dask.org', 'daskclusters', ['ada']),
    ...grant('pods', '', 'pods', ['bob', 'carol']),
  ];
  expect(await kubectlApply(objects)).toMatchObject({ code: 0 });
  await Promise.all([
    untilAllowed(namespace, 'ada', 'create', 'daskclusters.gateway.dask.org'),
    untilAllowed(namespace, 'bob', 'create', 'pods'),
    untilAllowed(namespace, 'carol', 'create', 'pods'),
  ]);
}

async function untilAllowed(namespace: string, user: string, verb: string, what: string): Promise<void> {
  await poll(
    `the right of ${user} to ${verb} ${what}`,
    () => kubectl(['auth', 'can-i', verb, what, '-n', namespace, '--as', user]),
    ({ code }) => code === 0,
  );
}

/** The namespace as the webhook is to know it: it hears of a label a moment later. */
async function warnOnly(client: KubeClient, namespace: string): Promise<void> {
  const body = { metadata: { labels: { 'daskwarden.dev/enforcement': 'warn' } } };
  await client.patch(NAMESPACES, { name: namespace }, { type: 'merge', body });
  const manifest = join(ROOT, 'examples/refused/missing-volume.yaml');
  await poll(
    'the enforcement of the namespace',
    () => kubectl(['create', '--dry-run=server', '-n', namespace, '-f', manifest]),
    ({ code }) => code === 0,
  );
}

it('docs/admission.md has a transcript for each of five refused manifests at least', () => {
  const refused = TRANSCRIPTS.filter(({ text }) => /^(The DaskCluster|Error from server)/m.test(text));
  expect(refused.length).toBeGreaterThanOrEqual(5);
});

it.for(TRANSCRIPTS)(
  'docs/admission.md shows what is printed: $title',
  async ({ title, text }, { client, namespace }) => {
    if (text.includes('--as ')) await grantRights(namespace);
    if (title.includes('Warn first')) await warnOnly(client, namespace);
    let printed = '';
    for (const [, command = ''] of text.matchAll(/^\$ kubectl (.*)$/gm)) {
      const args = command.split(' ').map((arg) => (arg.startsWith('examples/') ? join(ROOT, arg) : arg));
      const { stdout, stderr } = await kubectl([...args, '-n', namespace]);
      printed += `$ kubectl ${command}\n${stderr}${stdout}`.replaceAll(`${ROOT}/`, '');
      if (command.includes('may-connect')) {
        await untilAllowed(namespace, 'carol', 'connect', 'daskclusters.gateway.dask.org/demo');
      }
    }
    // The page has a name for the namespace, and no spaces at the end of lines.
    const shown = printed.replaceAll(`'${namespace}'`, "'team-a'").replaceAll(/ +$/gm, '');
    expect(shown).toBe(text);
  },
);
