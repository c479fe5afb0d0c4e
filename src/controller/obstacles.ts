import type { Service } from '../api/kubernetes.ts';
import type { Clock } from '../platform/clock.ts';

/** A name that is taken is tried again after this long. */
const TAKEN_MS = 5_000;
/** A webhook that did not inject is put to the test again after this long. */
const TRIAL_INTERVAL_MS = 10_000;

interface Obstacle {
  /** Monotonic milliseconds; undefined where the last pod came back as it should. */
  readonly injectionTrialAt?: number | undefined;
  /** By name; until when each is believed to stand there. */
  readonly foreignPods?: ReadonlyMap<string, number>;
  readonly foreignService?: { readonly service: Service; readonly until: number };
  readonly refusal?: string | undefined;
}

/** What writes met and no watch shows: names taken by objects without our labels, pods that came back bare, refusals. */
export class Obstacles {
  private readonly byCluster = new Map<string, Obstacle>();
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** A pod came back without its credentials. */
  injectionMissing(uid: string): void {
    this.change(uid, { injectionTrialAt: this.clock.monotonic() + TRIAL_INTERVAL_MS });
  }

  /** A pod came back with its credentials. */
  injectionWorks(uid: string): void {
    this.change(uid, { injectionTrialAt: undefined });
  }

  foreignPod(uid: string, name: string): void {
    const foreignPods = new Map(this.of(uid).foreignPods).set(name, this.clock.monotonic() + TAKEN_MS);
    this.change(uid, { foreignPods });
  }

  foreignService(uid: string, service: Service): void {
    this.change(uid, { foreignService: { service, until: this.clock.monotonic() + TAKEN_MS } });
  }

  /** @param message what the API server said */
  refused(uid: string, message: string): void {
    this.change(uid, { refusal: message });
  }

  /** Every write of a plan was accepted. */
  accepted(uid: string): void {
    this.change(uid, { refusal: undefined });
  }

  isInjectionMissing(uid: string): boolean {
    return this.of(uid).injectionTrialAt !== undefined;
  }

  isInjectionTrialDue(uid: string): boolean {
    return (this.of(uid).injectionTrialAt ?? Number.POSITIVE_INFINITY) <= this.clock.monotonic();
  }

  foreignPodsOf(uid: string): readonly string[] {
    const now = this.clock.monotonic();
    return [...(this.of(uid).foreignPods ?? [])].filter(([, until]) => until > now).map(([name]) => name);
  }

  foreignServiceOf(uid: string): Service | undefined {
    const { foreignService } = this.of(uid);
    return foreignService !== undefined && foreignService.until > this.clock.monotonic()
      ? foreignService.service
      : undefined;
  }

  refusalOf(uid: string): string | undefined {
    return this.of(uid).refusal;
  }

  forget(uid: string): void {
    this.byCluster.delete(uid);
  }

  private of(uid: string): Obstacle {
    return this.byCluster.get(uid) ?? {};
  }

  private change(uid: string, change: Obstacle): void {
    this.byCluster.set(uid, { ...this.of(uid), ...change });
  }
}
