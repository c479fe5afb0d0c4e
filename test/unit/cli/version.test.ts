import { describe, expect, it } from 'vitest';
import { VERSION_FACTS, versionText } from '../../../src/cli/version.ts';
import { version } from '../../../src/cli/version-command.ts';
import { FlagError } from '../../../src/platform/flags.ts';
import { VERSION } from '../../../src/platform/version.ts';

describe('daskwarden version', () => {
  it('knows what it speaks for', () => {
    expect(VERSION_FACTS).toEqual({
      version: VERSION,
      node: process.versions.node,
      kubernetes: expect.stringMatching(/^1\.\d+\.\d+$/) as string,
    });
  });

  it('prints a line, or JSON', () => {
    const facts = { version: '1.2.3', node: '24.1.0', kubernetes: '1.36.3' };
    expect(versionText(facts, 'text')).toBe(
      'daskwarden 1.2.3 (Node 24.1.0, pods judged as Kubernetes 1.36.3)\n',
    );
    expect(versionText(facts, 'json')).toBe('{"version":"1.2.3","node":"24.1.0","kubernetes":"1.36.3"}\n');
  });

  it('refuses another output', () => {
    expect(() => version(['--output', 'yaml'])).toThrow(
      new FlagError("--output: must be text or json, not 'yaml'"),
    );
  });
});
