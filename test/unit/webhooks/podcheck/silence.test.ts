import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { packagePath } from '../../../../src/platform/package-root.ts';

const PODCHECK = packagePath('webhooks', 'podcheck', 'podcheck.ts');

/** Kubernetes' validation logs an address that is none, with its value, when it comes to warn of it. */
const PROGRAM = `
  const { Podcheck } = await import(${JSON.stringify(PODCHECK)});
  const podcheck = new Podcheck({ timeoutMs: 30000, longestWaitMs: 60000 });
  const spec = { containers: [{ name: 'a', image: 'b' }], hostAliases: [{ ip: 'hunter2', hostnames: ['a'] }] };
  const [verdict] = await podcheck.check([{ pod: JSON.stringify({ metadata: { name: 'a' }, spec }) }], 'a');
  process.stdout.write(JSON.stringify(verdict));
  await podcheck.close();
`;

it('writes nothing of a pod into the log of the process', { timeout: 60_000 }, async () => {
  const run = promisify(execFile);
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', PROGRAM]);
  expect(stdout).toContain('spec.hostAliases[0].ip');
  expect(stderr).toBe('');
});
