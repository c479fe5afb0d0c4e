import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Authority, createAuthority } from '../../../src/pki/authority.ts';
import { nextStep, type Observation, type StoredAuthorities } from '../../../src/pki/authority-rotation.ts';

const DAY_MS = 86_400_000;
const SETTINGS = { settleMs: 30_000, leafValidityMs: 7 * DAY_MS };
const NOW_MS = Date.UTC(2030, 0, 1);
const young = await createAuthority({ nowMs: NOW_MS, randomBytes });
const other = await createAuthority({ nowMs: NOW_MS, randomBytes });
const due = await createAuthority({ nowMs: NOW_MS - 250 * DAY_MS, randomBytes });
const expired = await createAuthority({ nowMs: NOW_MS - 366 * DAY_MS, randomBytes });
const future = await createAuthority({ nowMs: NOW_MS + DAY_MS, randomBytes });
const foreign = await createAuthority({ nowMs: NOW_MS, randomBytes });
const NOTHING: StoredAuthorities = {
  signing: undefined,
  next: undefined,
  previousPem: '',
  switchedAtMs: undefined,
};

function bundle(...authorities: readonly Authority[]): string {
  return authorities.map(({ certificatePem }) => certificatePem).join('');
}

/** The step, with names in place of certificates. */
function stepOf(
  stored: Partial<StoredAuthorities> | undefined,
  bundles: readonly string[],
  more: Partial<Observation> = {},
): object {
  const state = stored === undefined ? undefined : { ...NOTHING, ...stored };
  return nextStep({ stored: state, bundles, nowMs: NOW_MS, unchangedForMs: 0, ...more }, SETTINGS);
}

describe('an installation without an authority', () => {
  it('gets one that signs at once, since nobody is served by another', () => {
    expect(stepOf(undefined, [''])).toMatchObject({
      kind: 'make',
      place: 'signing',
      rest: NOTHING,
      why: 'there is no certificate authority',
    });
  });

  it('has it published, and rests until two thirds of its life are over', () => {
    expect(stepOf({ signing: young }, ['', bundle(young)])).toEqual({
      kind: 'publish',
      bundlePem: bundle(young),
    });
    const { kind, forMs } = stepOf({ signing: young }, [bundle(young)]) as { kind: string; forMs: number };
    expect(kind).toBe('rest');
    expect(Math.round(forMs / DAY_MS)).toBe(243);
  });
});

describe('a rotation', () => {
  const rotating = { signing: due, next: young };

  it('begins at two thirds of a life', () => {
    const step = {
      kind: 'make',
      place: 'next',
      rest: { signing: due },
      why: 'two thirds of its life are over',
    };
    expect(stepOf({ signing: due }, [bundle(due)])).toMatchObject(step);
  });

  it.each([
    ['neither', bundle(due), bundle(due)],
    ['one', bundle(due), bundle(young, due)],
  ])('goes on to publish both while %s of the registrations has them', (_, ...bundles) => {
    expect(stepOf(rotating, bundles, { unchangedForMs: DAY_MS })).toEqual({
      kind: 'publish',
      bundlePem: bundle(young, due),
    });
  });

  it('waits until every API server has learned of it, and switches then', () => {
    const bundles = [bundle(young, due), bundle(young, due)];
    expect(stepOf(rotating, bundles, { unchangedForMs: 29_000 })).toEqual({ kind: 'rest', forMs: 1_000 });
    expect(stepOf(rotating, bundles, { unchangedForMs: 30_000 })).toMatchObject({
      kind: 'store',
      state: { signing: young, next: undefined, previousPem: bundle(due), switchedAtMs: NOW_MS },
    });
  });

  it('needs no registration that is not installed', () => {
    expect(stepOf(rotating, [], { unchangedForMs: 30_000 })).toMatchObject({ kind: 'store' });
  });

  const switched = { signing: young, previousPem: bundle(due) };

  it('trusts the one before for the life of a leaf', () => {
    const bundles = [bundle(young, due)];
    const switchedAtMs = NOW_MS - 7 * DAY_MS + 5_000;
    expect(stepOf({ ...switched, switchedAtMs }, bundles)).toEqual({ kind: 'rest', forMs: 30_000 });
    const seen = { nowMs: NOW_MS + 5_000, unchangedForMs: 30_000 };
    expect(stepOf({ ...switched, switchedAtMs }, bundles, seen)).toMatchObject({
      kind: 'store',
      state: { signing: young, previousPem: '', switchedAtMs: undefined },
    });
    expect(stepOf({ signing: young }, bundles)).toEqual({ kind: 'publish', bundlePem: bundle(young) });
  });

  it('does not drop it for a clock that was just set ahead', () => {
    const seen = { nowMs: NOW_MS + 30 * DAY_MS, unchangedForMs: 10_000 };
    const step = stepOf({ ...switched, switchedAtMs: NOW_MS }, [bundle(young, due)], seen);
    expect(step).toEqual({ kind: 'rest', forMs: 20_000 });
  });

  it.each([
    ['nowhere', undefined],
    ['in the future', NOW_MS + DAY_MS],
  ])('counts from now where the moment of the switch is %s', (_, switchedAtMs) => {
    const step = stepOf({ ...switched, switchedAtMs }, [bundle(young, due)], { unchangedForMs: DAY_MS });
    expect(step).toMatchObject({ kind: 'store', state: { ...switched, switchedAtMs: NOW_MS } });
  });
});

describe('an authority that cannot sign', () => {
  it.each([
    ["has another one's key", { ...young, privateKeyPem: other.privateKeyPem }],
    ['has no key', { ...young, privateKeyPem: '' }],
  ])('is replaced with care where it %s, for its leaves are in use', (_, signing) => {
    const trusted = [bundle(young)];
    expect(stepOf({ signing }, trusted)).toMatchObject({ kind: 'make', place: 'next', rest: { signing } });
    expect(stepOf({ signing, next: other }, trusted)).toEqual({
      kind: 'publish',
      bundlePem: bundle(other, young),
    });
    const step = stepOf({ signing, next: other }, [bundle(other, young)], { unchangedForMs: 30_000 });
    expect(step).toMatchObject({ kind: 'store', state: { signing: other, previousPem: bundle(young) } });
  });

  it.each([
    ['is gone', undefined],
    ['is no PEM', { signing: { certificatePem: 'none', privateKeyPem: 'none' } }],
    ['was emptied', {}],
  ])('is replaced with care where it %s and the registrations still trust it', (_, stored) => {
    expect(stepOf(stored, [bundle(young), ''])).toMatchObject({
      kind: 'make',
      place: 'next',
      rest: { previousPem: bundle(young) },
    });
  });

  it('is replaced at once where it has expired, and stays trusted in case it is the clock', () => {
    expect(stepOf({ signing: expired }, [bundle(expired)])).toMatchObject({
      kind: 'make',
      place: 'signing',
      rest: { signing: undefined, previousPem: bundle(expired), switchedAtMs: NOW_MS },
      why: 'certificate authority: it has expired at 2029-12-31T00:00:00.000Z',
    });
  });

  it('is replaced at once where it is not valid yet', () => {
    expect(stepOf({ signing: future }, [bundle(future)])).toMatchObject({ kind: 'make', place: 'signing' });
  });

  it('makes way at once for the next one where none of its leaves can be in use', () => {
    const step = stepOf({ signing: expired, next: young }, [bundle(young, expired)]);
    expect(step).toMatchObject({ kind: 'store', state: { signing: young, previousPem: bundle(expired) } });
  });

  it('is replaced where it is only the next one', () => {
    const broken = { ...other, privateKeyPem: 'none' };
    expect(stepOf({ signing: young, next: broken }, [bundle(young)])).toMatchObject({
      kind: 'make',
      place: 'next',
      rest: { signing: young, next: undefined },
    });
  });
});

describe('a bundle', () => {
  it('that somebody changed is put right', () => {
    const step = { kind: 'publish', bundlePem: bundle(young) };
    expect(stepOf({ signing: young }, [bundle(foreign, young)])).toEqual(step);
    expect(stepOf({ signing: young }, ['garbage'])).toEqual(step);
  });

  it('never grows beyond what is needed', async () => {
    const many = await Promise.all(
      Array.from({ length: 6 }, () => createAuthority({ nowMs: NOW_MS, randomBytes })),
    );
    const step = stepOf(undefined, [bundle(...many)]) as { rest: StoredAuthorities };
    expect(step.rest.previousPem).toBe(bundle(...many.slice(0, 4)));
  });
});
