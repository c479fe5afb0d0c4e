import type { Excess } from './scope.ts';

/** Who waits for what: one line for each measure of each user and namespace. */
export class Lines {
  private readonly lengths = new Map<string, number>();

  isWaitedFor(excess: Excess): boolean {
    return this.lengths.has(nameOf(excess));
  }

  /** The position of who joins next, from 1. */
  positionAfter(excess: Excess): number {
    return (this.lengths.get(nameOf(excess)) ?? 0) + 1;
  }

  join(excess: Excess): void {
    this.lengths.set(nameOf(excess), this.positionAfter(excess));
  }
}

/** A limit of each single cluster is nothing to wait for: it has no line, as nobody joins one. */
function nameOf({ scope, measure }: Excess): string {
  return `${measure}/${scope.kind}/${scope.name}`;
}
