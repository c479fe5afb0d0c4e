import { isNothing, minus, NO_DEMAND, plus, type Demand } from './demand.ts';
import type { Tenancy } from './scope.ts';

/** What one cluster takes, and whose it counts as. */
export interface Claim extends Tenancy {
  readonly demand: Demand;
}

/** What the clusters of one owner, and those of one namespace, take together. */
export interface Usage {
  readonly ofOwner: Demand;
  readonly ofNamespace: Demand;
}

/** Claims by key, and their totals by owner and by namespace: every call is O(1). */
export class UsageIndex {
  private readonly claims = new Map<string, Claim>();
  private readonly byOwner = new Map<string, Demand>();
  private readonly byNamespace = new Map<string, Demand>();

  /** Adds the claim of a key, in place of the one that it had. */
  put(key: string, claim: Claim): void {
    this.delete(key);
    if (isNothing(claim.demand)) return;
    this.claims.set(key, claim);
    change(this.byOwner, claim.owner, plus(this.ofOwner(claim.owner), claim.demand));
    change(this.byNamespace, claim.namespace, plus(this.ofNamespace(claim.namespace), claim.demand));
  }

  delete(key: string): void {
    const claim = this.claims.get(key);
    if (claim === undefined) return;
    this.claims.delete(key);
    change(this.byOwner, claim.owner, minus(this.ofOwner(claim.owner), claim.demand));
    change(this.byNamespace, claim.namespace, minus(this.ofNamespace(claim.namespace), claim.demand));
  }

  /** Undefined where the key takes nothing. */
  claimOf(key: string): Claim | undefined {
    return this.claims.get(key);
  }

  ofOwner(owner: string): Demand {
    return this.byOwner.get(owner) ?? NO_DEMAND;
  }

  ofNamespace(namespace: string): Demand {
    return this.byNamespace.get(namespace) ?? NO_DEMAND;
  }

  /** What all others take of what a cluster of this tenancy and key is counted with. */
  beside(key: string, { owner, namespace }: Tenancy): Usage {
    const own = this.claims.get(key);
    const [ofOwner, ofNamespace] = [this.ofOwner(owner), this.ofNamespace(namespace)];
    return {
      ofOwner: own?.owner === owner ? minus(ofOwner, own.demand) : ofOwner,
      ofNamespace: own?.namespace === namespace ? minus(ofNamespace, own.demand) : ofNamespace,
    };
  }
}

/** Who takes nothing any more is forgotten: names come and go for as long as the process runs. */
function change(totals: Map<string, Demand>, name: string, total: Demand): void {
  if (isNothing(total)) totals.delete(name);
  else totals.set(name, total);
}
