import { expect, it } from 'vitest';
import { webhookAuthorityByFlags } from '../../../src/controller/webhook-authority-flags.ts';

const flags = (mode: string, seconds = '30') => ({
  'webhook-ca': mode,
  'webhook-ca-settle-seconds': seconds,
});

it.each([
  ['self', '30', { settleMs: 30_000 }],
  ['self', '0', { settleMs: 0 }],
  ['none', '30', undefined],
])('--webhook-ca %s --webhook-ca-settle-seconds %s', (mode, seconds, expected) => {
  expect(webhookAuthorityByFlags(flags(mode, seconds))).toEqual(expected);
});

it('names the flag that is wrong, and what is possible', () => {
  expect(() => webhookAuthorityByFlags(flags('vault'))).toThrow(
    "--webhook-ca: must be self or none, not 'vault'",
  );
  expect(() => webhookAuthorityByFlags(flags('self', 'soon'))).toThrow('--webhook-ca-settle-seconds');
});
