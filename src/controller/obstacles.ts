import type { Clock } from '../platform/clock.ts';

/** How long something that stood in the way is believed to stand there still. */
const BELIEVED_MS = 10_000;

interface Obstacle {
  injectionMissingUntil: number;
  readonly foreignPods: Map<string, number>;
}

/** What writes met and no watch shows: names taken by objects without our labels, and pods that came back bare. */
export class Obstacles {
  private readonly byCluster = new Map<string, Obstacle>();
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  injectionMissing(uid: string): void {
    this.of(uid).injectionMissingUntil = this.clock.monotonic() + BELIEVED_MS;
  }

  foreignPod(uid: string, name: string): void {
    this.of(uid).foreignPods.set(name, this.clock.monotonic() + BELIEVED_MS);
  }

  isInjectionMissing(uid: string): boolean {
    return (this.byCluster.get(uid)?.injectionMissingUntil ?? 0) > this.clock.monotonic();
  }

  foreignPods(uid: string): readonly string[] {
    const now = this.clock.monotonic();
    const pods = this.byCluster.get(uid)?.foreignPods ?? new Map<string, number>();
    return [...pods].filter(([, until]) => until > now).map(([name]) => name);
  }

  forget(uid: string): void {
    this.byCluster.delete(uid);
  }

  private of(uid: string): Obstacle {
    const known = this.byCluster.get(uid);
    if (known !== undefined) return known;
    const fresh: Obstacle = { injectionMissingUntil: 0, foreignPods: new Map() };
    this.byCluster.set(uid, fresh);
    return fresh;
  }
}
