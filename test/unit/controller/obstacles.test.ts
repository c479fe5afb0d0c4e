import { beforeEach, expect, test } from 'vitest';
import { Obstacles } from '../../../src/controller/obstacles.ts';
import { systemClock } from '../../../src/platform/clock.ts';

let elapsedMs: number;
let obstacles: Obstacles;

beforeEach(() => {
  elapsedMs = 0;
  obstacles = new Obstacles({ ...systemClock, monotonic: () => elapsedMs });
});

test('names that are taken are believed for five seconds', () => {
  const service = { metadata: { name: 's' }, spec: {} };
  obstacles.foreignPod('u', 'a');
  obstacles.foreignService('u', service);
  elapsedMs = 3_000;
  obstacles.foreignPod('u', 'b');
  expect(obstacles.foreignPodsOf('u')).toEqual(['a', 'b']);
  expect(obstacles.foreignPodsOf('other')).toEqual([]);
  elapsedMs = 4_999;
  expect(obstacles.foreignServiceOf('u')).toBe(service);
  elapsedMs = 5_000;
  expect(obstacles.foreignPodsOf('u')).toEqual(['b']);
  expect(obstacles.foreignServiceOf('u')).toBeUndefined();
});

test('a missing injection is believed until a pod comes with it, and tried every ten seconds', () => {
  obstacles.injectionMissing('u');
  elapsedMs = 9_999;
  expect([obstacles.isInjectionMissing('u'), obstacles.isInjectionTrialDue('u')]).toEqual([true, false]);
  elapsedMs = 10_000;
  expect(obstacles.isInjectionTrialDue('u')).toBe(true);
  obstacles.injectionMissing('u');
  expect([obstacles.isInjectionMissing('u'), obstacles.isInjectionTrialDue('u')]).toEqual([true, false]);
  obstacles.injectionWorks('u');
  elapsedMs = 30_000;
  expect([obstacles.isInjectionMissing('u'), obstacles.isInjectionTrialDue('u')]).toEqual([false, false]);
});

test('a refusal is kept until every write is accepted', () => {
  obstacles.refused('u', 'exceeded quota');
  elapsedMs = 1_000_000;
  expect(obstacles.refusalOf('u')).toBe('exceeded quota');
  obstacles.accepted('u');
  expect(obstacles.refusalOf('u')).toBeUndefined();
});

test('a cluster that is gone leaves nothing', () => {
  obstacles.refused('u', 'exceeded quota');
  obstacles.foreignPod('u', 'a');
  obstacles.injectionMissing('u');
  obstacles.forget('u');
  expect(obstacles.refusalOf('u')).toBeUndefined();
  expect(obstacles.foreignPodsOf('u')).toEqual([]);
  expect(obstacles.isInjectionMissing('u')).toBe(false);
});
