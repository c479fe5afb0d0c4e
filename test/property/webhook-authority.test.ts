import { randomBytes, X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WebhookAuthority } from '../../src/controller/webhook-authority.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { LeafKeeper } from '../../webhooks/certificate.ts';
import { AuthorityApi, MUTATING, SECRET, VALIDATING } from '../support/authority-api.ts';
import { recordedLog } from '../unit/kube/recorded-log.ts';

const MINUTE_MS = 60_000;
const SETTLE_MS = 30_000;
/** What an API server or a replica may be behind, with the 10 s of a replica's polls within the time to settle. */
const LONGEST_LAG_MS = 19_000;
const AUTHORITY_VALIDITY_MS = 60 * MINUTE_MS;
const LEAF_VALIDITY_MS = 10 * MINUTE_MS;
/** Long enough for two rotations, and for the end of the leaves of the first. */
const LENGTH_MS = 90 * MINUTE_MS;
/** Nobody is served before the first authority is there and known. */
const INSTALLED_MS = 60_000;
const { signal } = new AbortController();

interface World {
  /** Of the replicas' first looks, milliseconds. */
  readonly starts: readonly number[];
  /** How far behind each registration the API server that calls is. */
  readonly lagMs: number;
  /** How many writes a controller makes until it is killed, before or after the write; again and again. */
  readonly lives: readonly { readonly writes: number; readonly after: boolean }[];
  readonly controllers: number;
  /** A replica that cannot reach the API server for a while. */
  readonly stall: { readonly fromMs: number; readonly forMs: number };
  /** What somebody does to the Secret once. */
  readonly damage: { readonly atMs: number; readonly kind: keyof typeof DAMAGES };
}

const DAMAGES = {
  none: () => undefined,
  delete: (api: AuthorityApi) => void api.objects.delete(SECRET),
  certificate: (api: AuthorityApi) => {
    api.secret = { ...api.secret, 'tls.crt': 'garbage' };
  },
  key: (api: AuthorityApi) => {
    api.secret = { ...api.secret, 'tls.key': 'garbage' };
  },
  next: (api: AuthorityApi) => {
    api.secret = { ...api.secret, 'next.crt': 'garbage' };
  },
  stamp: (api: AuthorityApi) => {
    const { 'switched-at': _, ...rest } = api.secret;
    api.secret = rest;
  },
} satisfies Record<string, (api: AuthorityApi) => void>;

const worlds: fc.Arbitrary<World> = fc.record({
  starts: fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 2, maxLength: 2 }),
  lagMs: fc.integer({ min: 0, max: LONGEST_LAG_MS }),
  lives: fc.array(fc.record({ writes: fc.integer({ min: 1, max: 6 }), after: fc.boolean() }), {
    maxLength: 5,
  }),
  controllers: fc.integer({ min: 1, max: 2 }),
  stall: fc.record({
    fromMs: fc.integer({ min: INSTALLED_MS, max: LENGTH_MS }),
    forMs: fc.integer({ min: 0, max: 4 * MINUTE_MS }),
  }),
  damage: fc.record({
    atMs: fc.integer({ min: 2 * INSTALLED_MS, max: LENGTH_MS }),
    kind: fc.constantFrom(...(Object.keys(DAMAGES) as (keyof typeof DAMAGES)[])),
  }),
});

/** A whole installation in one thread of virtual time. */
class Simulation {
  readonly api = new AuthorityApi();
  /** Every authority that ever signed. */
  readonly signed = new Set<string>();
  private nowMs = Date.UTC(2030, 0, 1);
  private readonly startMs = this.nowMs;
  private readonly world: World;
  private readonly history: { readonly sinceMs: number; readonly bundles: readonly string[] }[] = [];
  private readonly verdicts = new Map<string, boolean>();
  private readonly agenda: { atMs: number; readonly act: () => Promise<number> }[] = [];
  private readonly leaves: string[] = [];
  private readonly controllers: { atMs: number }[] = [];
  private writesLeft: number;
  private life = 0;

  constructor(world: World) {
    this.world = world;
    this.writesLeft = world.lives[0]?.writes ?? Infinity;
    this.api.install(MUTATING, undefined, undefined);
    this.api.install(VALIDATING, undefined);
    this.api.beforeWrite = () => {
      this.mayDie(false);
    };
    this.api.afterWrite = () => {
      this.record();
      this.mayDie(true);
    };
  }

  async run(): Promise<void> {
    for (let index = 0; index < this.world.controllers; index++) this.addController(index * 700);
    for (const [index, startMs] of this.world.starts.entries()) this.addReplica(index, startMs);
    this.agenda.push({
      atMs: this.startMs + this.world.damage.atMs,
      act: () => {
        DAMAGES[this.world.damage.kind](this.api);
        this.record();
        return Promise.resolve(Infinity);
      },
    });
    for (;;) {
      const next = this.agenda.reduce((first, one) => (one.atMs < first.atMs ? one : first));
      if (next.atMs > this.startMs + LENGTH_MS) return;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.atMs = this.nowMs + Math.max(await next.act(), 1);
      if (this.nowMs > this.startMs + INSTALLED_MS) this.check();
    }
  }

  private get clock(): Clock {
    const now = (): number => this.nowMs;
    const never = (): never => {
      throw new Error('a turn does not wait');
    };
    return { now, monotonic: now, sleep: never, after: never };
  }

  private addController(afterMs: number): void {
    const start = (): WebhookAuthority => {
      const { log } = recordedLog();
      const lifetimes = { validityMs: AUTHORITY_VALIDITY_MS, leafValidityMs: LEAF_VALIDITY_MS };
      const common = { client: this.api, namespace: 'dask', clock: this.clock, randomBytes, log };
      return new WebhookAuthority({ ...common, ...lifetimes, settleMs: SETTLE_MS });
    };
    let controller = start();
    const entry = {
      atMs: this.startMs + afterMs,
      act: async () => {
        const life = this.life;
        const delayMs = await controller.turn(signal);
        if (life === this.life) return delayMs;
        controller = start();
        return 5_000;
      },
    };
    this.agenda.push(entry);
    this.controllers.push(entry);
  }

  private addReplica(index: number, startMs: number): void {
    const { log } = recordedLog();
    const keeper = new LeafKeeper({
      client: this.api,
      secret: { namespace: 'dask', name: 'daskwarden-webhook-ca' },
      dnsNames: ['hook.dask.svc'],
      useLeaf: ({ certificatePem }) => (this.leaves[index] = certificatePem),
      clock: this.clock,
      randomBytes,
      log,
      validityMs: LEAF_VALIDITY_MS,
    });
    const { fromMs, forMs } = this.world.stall;
    const isStalled = (): boolean => {
      const sinceMs = this.nowMs - this.startMs - fromMs;
      return index === 0 && sinceMs >= 0 && sinceMs < forMs;
    };
    this.agenda.push({
      atMs: this.startMs + startMs,
      act: () => (isStalled() ? Promise.resolve(10_000) : keeper.turn(signal)),
    });
  }

  /** The process that writes now is killed, before the write arrives or before it hears of it. */
  private mayDie(after: boolean): void {
    const life = this.world.lives[this.life];
    if (life === undefined || life.after !== after) return;
    this.writesLeft -= 1;
    if (this.writesLeft > 0) return;
    this.life += 1;
    this.writesLeft = this.world.lives[this.life]?.writes ?? Infinity;
    throw new Error('killed');
  }

  private record(): void {
    const bundles = [...this.api.bundles(MUTATING), ...this.api.bundles(VALIDATING)].map((pem = '') => pem);
    this.history.push({ sinceMs: this.nowMs, bundles });
    this.signed.add(this.api.secret['tls.crt'] ?? '');
    // They watch.
    for (const controller of this.controllers) controller.atMs = Math.min(controller.atMs, this.nowMs + 50);
  }

  /** Every leaf in use is valid, and verified by what an API server trusts now and by what one that is behind does. */
  private check(): void {
    for (const behindMs of [0, this.world.lagMs]) {
      const known = this.history.findLast(({ sinceMs }) => sinceMs <= this.nowMs - behindMs);
      for (const leaf of this.leaves) {
        const { start, end } = lifeOf(leaf);
        const isTrusted = (known?.bundles ?? []).every((bundle) => this.trusts(bundle, leaf));
        if (start <= this.nowMs && this.nowMs < end && isTrusted) continue;
        const sinceMs = this.nowMs - this.startMs;
        const what = isTrusted ? 'is not valid' : 'is not trusted';
        throw new Error(`a leaf ${what} ${sinceMs} ms after the start, ${behindMs} ms behind`);
      }
    }
  }

  private trusts(bundle: string, leaf: string): boolean {
    const key = bundle + leaf;
    const known = this.verdicts.get(key);
    if (known !== undefined) return known;
    const certificates = bundle.match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
    const verdict = certificates.some((pem) =>
      new X509Certificate(leaf).verify(new X509Certificate(pem).publicKey),
    );
    this.verdicts.set(key, verdict);
    return verdict;
  }
}

const lives = new Map<string, { readonly start: number; readonly end: number }>();

function lifeOf(leaf: string): { readonly start: number; readonly end: number } {
  let life = lives.get(leaf);
  if (life === undefined) {
    const { validFromDate, validToDate } = new X509Certificate(leaf);
    life = { start: validFromDate.getTime(), end: validToDate.getTime() };
    lives.set(leaf, life);
  }
  return life;
}

describe('whenever replicas look and controllers are killed', () => {
  it('the leaf in use is trusted at every instant', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const simulation = new Simulation(world);
        await simulation.run();
        expect(simulation.signed.size).toBeGreaterThanOrEqual(3);
      }),
      { numRuns: 12 },
    );
  });
});
