import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../src/api/field-path.ts';
import { asWarning, invalid } from '../../../src/core/findings.ts';
import { logDecision, outcomeOf } from '../../../webhooks/decision-log.ts';
import { allow, type Decision, deny } from '../../../webhooks/decision.ts';
import { recordedLog } from '../kube/recorded-log.ts';
import { aRequest } from './reviews.ts';

const at = (rule: string) =>
  invalid({ rule, path: FieldPath.of('spec'), value: 'hunter2', message: 'is wrong' });
const FOUND = [at('structure'), at('names'), at('structure')];
const PATCH = [{ op: 'remove', path: '/spec/a' }] as const;

function logged(decision: Decision, request = aRequest()): readonly Record<string, unknown>[] {
  const { log, lines } = recordedLog();
  logDecision(log, request, decision);
  return lines;
}

describe('the log', () => {
  it('has one line for a denial, with rules, and nothing of the object but its name', () => {
    const object = { metadata: { name: 'demo' }, spec: { secret: 'hunter2' } };
    const [line, ...others] = logged(deny('Invalid', FOUND), aRequest({ object }));
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      ...{ level: 'info', msg: 'reviewed', uid: aRequest().uid, user: 'ada', operation: 'CREATE' },
      ...{ kind: 'DaskCluster', namespace: 'team-a', object: 'demo', rules: ['names', 'structure'] },
      ...{ decision: 'deny', dryRun: false },
    });
    for (const absent of ['subResource', 'correlation']) expect(line).not.toHaveProperty(absent);
    expect(JSON.stringify(line)).not.toContain('hunter2');
  });

  it('tells what was spared, of which sub-resource, and by what it is found again', () => {
    const decision = { ...allow(FOUND.map(asWarning)), spared: true, correlation: 'u/1' };
    const request = aRequest({ subResource: 'scale', dryRun: true, operation: 'UPDATE' });
    expect(logged(decision, request)).toMatchObject([
      {
        ...{ level: 'info', decision: 'spare', correlation: 'u/1' },
        ...{ subResource: 'scale', dryRun: true, operation: 'UPDATE' },
      },
    ]);
  });

  it('does not call spared what was refused or only warned of', () => {
    expect(logged({ ...allow(FOUND), spared: false })).toMatchObject([{ decision: 'warn' }]);
    expect(logged({ ...deny('Invalid', FOUND), spared: true } as Decision)).toMatchObject([
      { decision: 'deny' },
    ]);
  });

  it('has a patch at debug level, and nothing for a plain allowance', () => {
    expect(logged(allow([], PATCH))).toMatchObject([{ level: 'debug', msg: 'reviewed', decision: 'patch' }]);
    expect(logged(allow())).toEqual([]);
  });
});

describe('an outcome', () => {
  it('is a warning before it is a patch', () => {
    expect(outcomeOf({ ...allow([], PATCH), spared: true })).toBe('spare');
    expect(outcomeOf(allow(FOUND, PATCH))).toBe('warn');
    expect(outcomeOf(allow([], PATCH))).toBe('patch');
    expect(outcomeOf(allow())).toBe('allow');
    expect(outcomeOf(deny('Forbidden', FOUND))).toBe('deny');
  });
});
