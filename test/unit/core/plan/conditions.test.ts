import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../../src/api/dask-cluster.ts';
import { foldConditions, no, reasonOf, yes } from '../../../../src/core/plan/conditions.ts';

const BEFORE = '2026-03-01T11:00:00Z';
const NOW = '2026-03-01T12:00:00Z';
const ready: Condition = {
  ...yes('Ready', 'AllWorkersRun', 'all 2 workers run'),
  observedGeneration: 1,
  lastTransitionTime: BEFORE,
};

describe('foldConditions', () => {
  it('takes what is said for and against', () => {
    expect(yes('Ready', 'Yes', 'y').status).toBe('True');
    expect(no('Ready', 'No', 'n').status).toBe('False');
  });

  it('stamps what is new', () => {
    const statement = no('Stalled', 'NotStalled', '');
    expect(foldConditions([statement], undefined, 3, NOW)).toEqual([
      {
        type: 'Stalled',
        status: 'False',
        reason: 'NotStalled',
        message: '',
        observedGeneration: 3,
        lastTransitionTime: NOW,
      },
    ]);
  });

  it('keeps the time of a status that stays, whatever is said about it', () => {
    const [condition] = foldConditions([yes('Ready', 'Other', 'other words')], [ready], 2, NOW);
    expect(condition).toEqual({
      ...ready,
      reason: 'Other',
      message: 'other words',
      observedGeneration: 2,
    });
  });

  it('moves the time of a status that changes', () => {
    const [condition] = foldConditions([no('Ready', 'Starting', '')], [ready], 1, NOW);
    expect(condition).toMatchObject({ status: 'False', lastTransitionTime: NOW });
  });

  it('gives the same for the same, so that nothing is written', () => {
    const statements = [yes('Ready', 'AllWorkersRun', 'all 2 workers run'), no('Stalled', 'NotStalled', '')];
    const first = foldConditions(statements, [ready], 1, BEFORE);
    expect(foldConditions(statements, first, 1, NOW)).toEqual(first);
  });

  it('keeps the order of the statements and forgets what is not said any more', () => {
    const stalled = no('Stalled', 'NotStalled', '');
    const progressing = no('Progressing', 'Done', '');
    const folded = foldConditions([stalled, progressing], [ready], 1, NOW);
    expect(folded.map(({ type }) => type)).toEqual(['Stalled', 'Progressing']);
  });
});

describe('reasonOf', () => {
  it('is the reason of the condition of a type, where there is one', () => {
    expect(reasonOf([ready], 'Ready')).toBe('AllWorkersRun');
    expect(reasonOf([ready], 'Stalled')).toBeUndefined();
    expect(reasonOf(undefined, 'Ready')).toBeUndefined();
  });
});
