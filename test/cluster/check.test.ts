import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { aCluster } from '../support/builders.ts';
import { kubectlApply, kubectlOk } from '../support/kubectl.ts';
import { freshNamespace } from '../support/namespaces.ts';
import { runCheck, sharePodcheck, type Run } from '../support/run-check.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

sharePodcheck();

const SCHEDULER = 'spec.scheduler.template';

/** As it would stand in a file: only what a person writes. */
function manifest(namespace: string, spec: object = {}): object {
  const { apiVersion, kind, spec: rest } = aCluster();
  return { apiVersion, kind, metadata: { name: 'demo', namespace }, spec: { ...rest, ...spec } };
}

function server(object: object, ...flags: string[]): Promise<Run> {
  const args = ['-', '--server', '--kubeconfig', inject('kubeconfigPath'), ...flags];
  return runCheck(args, { stdin: stringify(object) });
}

/** A kubeconfig of somebody who may do nothing. */
async function ofNobody(): Promise<string> {
  const config = parse(await readFile(inject('kubeconfigPath'), 'utf8')) as { users: { user: object }[] };
  for (const entry of config.users) entry.user = { ...entry.user, as: 'nobody' };
  const file = join(await temporaryFolder(), 'kubeconfig');
  await writeFile(file, stringify(config));
  return file;
}

describe('--server', () => {
  it('hears what only the cluster knows, and leaves nothing behind', async () => {
    const namespace = await freshNamespace();
    expect(await server(manifest(namespace))).toEqual({
      code: 0,
      lines: ['1 DaskCluster, 0 would be refused'],
      errors: [],
    });
    const limits = { type: 'Container', max: { cpu: '1' }, default: { cpu: '1' } };
    await kubectlApply([
      {
        ...{ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'small', namespace } },
        spec: { limits: [limits] },
      },
    ]);
    const resources = { limits: { cpu: '2' } };
    const containers = [{ name: 'dask-scheduler', image: 'x', resources }];
    const { code, lines } = await server(
      manifest(namespace, { scheduler: { template: { spec: { containers } } } }),
    );
    expect(code).toBe(1);
    expect(lines[0]).toMatch(`error ${SCHEDULER}: `);
    expect(lines[0]).toContain('maximum cpu usage per Container is 1');
    await kubectlApply([
      {
        ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none', namespace } },
        spec: { hard: { pods: '0' } },
      },
    ]);
    const full = await server(manifest(namespace));
    expect(full.code).toBe(1);
    expect(full.lines.filter((line) => line.includes('exceeded quota: none'))).toHaveLength(2);
    const left = await kubectlOk([
      'get',
      'pods,daskclusters.gateway.dask.org',
      '-n',
      namespace,
      '-o',
      'name',
    ]);
    expect(left).toBe('');
  });

  it('asks for a change where the DaskCluster is there already', async () => {
    const namespace = await freshNamespace();
    await kubectlApply([
      manifest(namespace, {
        worker: { replicas: 0, template: { spec: { containers: [{ name: 'dask-worker', image: 'x' }] } } },
      }),
    ]);
    expect((await server(manifest(namespace))).lines).toEqual(['1 DaskCluster, 0 would be refused']);
  });

  it('names a namespace that is not there', async () => {
    const { code, lines } = await server(manifest('not-there'));
    expect(code).toBe(1);
    expect(lines[0]).toMatch(/:5:3: error metadata\.namespace: there is no namespace 'not-there'/);
    expect(lines).toHaveLength(2);
  });

  it('says what the caller may not ask', async () => {
    const namespace = await freshNamespace();
    const { code, lines } = await server(manifest(namespace), '--kubeconfig', await ofNobody());
    expect(code).toBe(2);
    expect(lines[0]).toBe(
      `note you may not create daskclusters in namespace '${namespace}', which a dry run needs too: the API server was not asked about them; have the right given to you, or leave out --server`,
    );
    expect(lines[1]).toMatch(/^note you may not create pods/);
  });

  it('says why it cannot ask at all', async () => {
    const { code, errors } = await server(manifest('default'), '--context', 'unheard-of');
    expect(code).toBe(2);
    expect(errors[0]).toMatch(/context 'unheard-of' is not there/);
  });
});

describe('--live', () => {
  it('judges what is stored, and the pods of a dask-gateway, by a policy that may come', async () => {
    const namespace = await freshNamespace();
    const labels = { 'gateway.dask.org/cluster': 'old', 'app.kubernetes.io/managed-by': 'dask-gateway' };
    const { stdout, stderr } = await kubectlApply([
      manifest(namespace, { active: false }),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'old', namespace, labels },
        spec: { hostNetwork: true, containers: [{ name: 'dask', image: 'x' }] },
      },
    ]);
    expect(`${stdout}${stderr}`).not.toContain('rror');
    const live = (...flags: string[]): Promise<Run> =>
      runCheck(['--live', '-n', namespace, '--kubeconfig', inject('kubeconfigPath'), ...flags]);
    expect(await live()).toEqual({
      code: 0,
      lines: ['1 DaskCluster and 1 pod of dask-gateway, 0 would be refused'],
      errors: [],
    });
    const policy = join(await temporaryFolder(), 'policy.yaml');
    await writeFile(policy, 'imageRegistries: [elsewhere.example.org/]\npodSecurity: baseline\n');
    const { code, lines } = await live('--policy', policy, '--output', 'jsonl');
    expect(code).toBe(1);
    const results = lines.map(
      (line) => JSON.parse(line) as { file: string; verdict: string; findings: object[] },
    );
    expect(results.map(({ file, verdict }) => `${file} ${verdict}`)).toEqual([
      `${namespace}/daskcluster/demo deny`,
      `${namespace}/pod/old deny`,
    ]);
    expect(results[0]?.findings[0]).toMatchObject({ rule: 'images', line: null, column: null });
    expect(results[1]?.findings).toContainEqual(
      expect.objectContaining({ rule: 'pod-security', path: 'spec.hostNetwork' }),
    );
  });

  it('says where labels of namespaces cannot be read, and what it may not list', async () => {
    const { code, lines, errors } = await runCheck(['--live', '-A', '--kubeconfig', await ofNobody()]);
    expect(code).toBe(2);
    expect(lines).toEqual([expect.stringMatching(/^note you may not read namespaces/)]);
    expect(errors[0]).toMatch(/cannot list resource "daskclusters"/);
  });
});
