import type { Policy } from '../policy/policy.ts';
import { demandWith, type Shape } from './cluster-demand.ts';
import { NO_DEMAND, ONE, plus, minus, type Demand } from './demand.ts';
import { clampedText, hopelessText, waitingText } from './grant-text.ts';
import type { Grant } from './grant.ts';
import { usedIn } from './judge-limits.ts';
import { Lines } from './lines.ts';
import { boundsOf, scopesOf, type Excess, type Tenancy } from './scope.ts';
import type { Usage, UsageIndex } from './usage-index.ts';

/** A cluster that wants more than it has a place for. */
export interface Contender extends Tenancy {
  /** `<namespace>/<name>`. */
  readonly key: string;
  /** RFC 3339, as the API server writes it. */
  readonly createdAt: string;
  readonly shape: Shape;
  /** How many workers the manifest asks for. */
  readonly wanted: number;
  /** How many workers it has a place for; undefined where it may not run at all yet. */
  readonly held: number | undefined;
}

export interface Admission {
  /** How many workers it has a place for from now on; undefined where it waits. */
  readonly workers: number | undefined;
  readonly grant: Grant;
}

type Limits = Policy['limits'];

/** What the clusters that were let in during this decision take, beyond what the index shows. */
interface Pass {
  readonly usage: UsageIndex;
  readonly limitsIn: (namespace: string) => Limits;
  readonly added: Map<string, Demand>;
  readonly lines: Lines;
}

/**
 * Who is let in now: users in turn, and of each user the oldest cluster first. A user's turn comes the later, the more
 * clusters that user has running, so that one who asks for many does not keep the others waiting. Nobody passes a
 * cluster that waits for the very same thing; one that could not start even alone keeps nobody waiting. A running
 * cluster gets as many more workers as there is room for. Pure: the same clusters give the same decision.
 * @param usage of those that have a place, contenders among them included
 * @param limitsIn the limits that clusters of a namespace are held to
 */
export function admissionOrder(
  contenders: readonly Contender[],
  usage: UsageIndex,
  limitsIn: Pass['limitsIn'],
): ReadonlyMap<string, Admission> {
  const pass: Pass = { usage, limitsIn, added: new Map(), lines: new Lines() };
  return new Map(
    inTurn(contenders, usage).map((contender) => {
      const admission =
        contender.held === undefined ? enter(contender, pass) : grow(contender, contender.held, pass);
      return [contender.key, admission];
    }),
  );
}

function inTurn(contenders: readonly Contender[], usage: UsageIndex): readonly Contender[] {
  const next = new Map<string, bigint>();
  const ranked = [...contenders].sort(byAge).map((contender) => {
    const { owner } = contender;
    const rank = next.get(owner) ?? usage.ofOwner(owner).clusters / ONE;
    next.set(owner, rank + 1n);
    return { contender, rank };
  });
  // Sorting is stable: within a rank the oldest stays first.
  return ranked.sort((one, other) => Number(one.rank - other.rank)).map(({ contender }) => contender);
}

function byAge(one: Contender, other: Contender): number {
  return compare(one.createdAt, other.createdAt) || compare(one.key, other.key);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** A cluster starts with all that it asks for, or waits. */
function enter(contender: Contender, pass: Pass): Admission {
  const asked = demandWith(contender.shape, contender.wanted);
  const lacks = lackedBy(contender, asked, pass);
  const [first] = lacks;
  if (first === undefined) {
    take(pass, contender, asked);
    return { workers: contender.wanted, grant: { kind: 'whole' } };
  }
  const hopeless = lacks.find((lack) => lack.asked > lack.bound);
  if (hopeless !== undefined) {
    return { workers: undefined, grant: { kind: 'waiting', message: hopelessText(hopeless) } };
  }
  const position = pass.lines.positionAfter(first);
  for (const lack of lacks) pass.lines.join(lack);
  return { workers: undefined, grant: { kind: 'waiting', message: waitingText(first, position) } };
}

/** What is lacking, or spoken for by somebody who comes first. */
function lackedBy(contender: Contender, asked: Demand, pass: Pass): readonly Excess[] {
  const usage = usageFor(contender, pass);
  return scopesOf(contender, pass.limitsIn(contender.namespace)).flatMap((scope) => {
    const used = usedIn(scope, usage);
    return boundsOf(scope).flatMap(([measure, bound]) => {
      if (asked[measure] === 0n) return [];
      const lack: Excess = { scope, measure, bound, used: used[measure], asked: asked[measure] };
      const isOver = lack.used + lack.asked > bound;
      return isOver || pass.lines.isWaitedFor(lack) ? [lack] : [];
    });
  });
}

/** A running cluster keeps what it has, and gets what there is room for. */
function grow(contender: Contender, held: number, pass: Pass): Admission {
  const { shape, wanted } = contender;
  const rooms = roomsFor(contender, held, pass);
  const tightest = rooms.reduce<Room | undefined>(
    (best, room) => (best === undefined || room.workers < best.workers ? room : best),
    undefined,
  );
  const workers = Math.max(held, Math.min(wanted, tightest?.workers ?? wanted));
  take(pass, contender, minus(demandWith(shape, workers), demandWith(shape, held)));
  if (tightest === undefined || workers >= wanted) return { workers, grant: { kind: 'whole' } };
  return {
    workers,
    grant: { kind: 'clamped', workers, message: clampedText(tightest.excess, workers, wanted) },
  };
}

interface Room {
  /** How many workers the cluster may have by this limit alone. */
  readonly workers: number;
  readonly excess: Excess;
}

function roomsFor(contender: Contender, held: number, pass: Pass): readonly Room[] {
  const { shape, wanted } = contender;
  const [base, one, asked] = [demandWith(shape, 0), demandWith(shape, 1), demandWith(shape, wanted)];
  const usage = usageFor(contender, pass);
  return scopesOf(contender, pass.limitsIn(contender.namespace)).flatMap((scope) => {
    const used = usedIn(scope, usage);
    return boundsOf(scope).flatMap(([measure, bound]): Room[] => {
      const each = one[measure] - base[measure];
      if (each === 0n) return [];
      const excess: Excess = { scope, measure, bound, used: used[measure], asked: asked[measure] };
      const room = bound - excess.used - base[measure];
      const fitting = room < 0n ? 0 : Number(room / each);
      return [{ workers: pass.lines.isWaitedFor(excess) ? Math.min(held, fitting) : fitting, excess }];
    });
  });
}

/** By all others, those included that were let in before in this decision. */
function usageFor({ key, owner, namespace }: Contender, { usage, added }: Pass): Usage {
  const beside = usage.beside(key, { owner, namespace });
  return {
    ofOwner: plus(beside.ofOwner, added.get(`user/${owner}`) ?? NO_DEMAND),
    ofNamespace: plus(beside.ofNamespace, added.get(`namespace/${namespace}`) ?? NO_DEMAND),
  };
}

function take({ added }: Pass, { owner, namespace }: Contender, demand: Demand): void {
  for (const name of [`user/${owner}`, `namespace/${namespace}`]) {
    added.set(name, plus(added.get(name) ?? NO_DEMAND, demand));
  }
}
