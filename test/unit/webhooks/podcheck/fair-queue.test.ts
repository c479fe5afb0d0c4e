import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../../webhooks/podcheck/fair-queue.ts';

function drained(queue: FairQueue<string>, nowMs = 0): readonly (string | undefined)[] {
  return Array.from({ length: queue.size }, () => queue.take(nowMs));
}

describe('FairQueue', () => {
  it('takes one of each tenant in turn, each in its order', () => {
    const queue = new FairQueue<string>({ tenant: 9, total: 9 });
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(item.slice(0, 1), item);
    expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect(queue.take(0)).toBeUndefined();
  });

  it('puts a slow tenant behind all others for half a minute', () => {
    const queue = new FairQueue<string>({ tenant: 9, total: 9 });
    queue.markSlow('a', 1_000);
    for (const item of ['a1', 'b1', 'b2']) queue.push(item.slice(0, 1), item);
    expect(drained(queue, 30_999)).toEqual(['b1', 'b2', 'a1']);
    for (const item of ['a1', 'b1']) queue.push(item.slice(0, 1), item);
    expect(drained(queue, 31_000)).toEqual(['a1', 'b1']);
  });

  it('gives the place of a tenant that has many to one that has few', () => {
    const queue = new FairQueue<string>({ tenant: 3, total: 4 });
    expect(['a1', 'a2', 'a3', 'b1'].map((item) => queue.push(item.slice(0, 1), item))).toEqual(Array(4));
    expect(queue.push('a', 'a4')).toBe('a4');
    expect(queue.push('c', 'c1')).toBe('a3');
    expect(queue.push('d', 'd1')).toBe('a2');
    expect(queue.push('e', 'e1')).toBe('e1');
    expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'd1']);
  });

  it('forgets what was removed or cleared', () => {
    const queue = new FairQueue<string>({ tenant: 3, total: 4 });
    for (const item of ['a1', 'a2', 'b1']) queue.push(item.slice(0, 1), item);
    queue.remove('b', 'b1');
    queue.remove('b', 'b1');
    expect(queue.size).toBe(2);
    expect(queue.clear()).toEqual(['a1', 'a2']);
    expect([queue.size, queue.take(0)]).toEqual([0, undefined]);
  });
});
