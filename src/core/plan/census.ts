import type { Pod } from '../../api/kubernetes.ts';
import { INCARNATION_LABEL, SLOT_LABEL } from '../../api/names.ts';
import { podState, type PodState } from '../lifecycle/pod-state.ts';
import { roleOfPod } from '../render/credentials.ts';

export interface Member<State extends PodState = PodState> {
  readonly pod: Pod;
  readonly state: State;
  readonly incarnation: number;
  /** Number of a worker; 0 for the scheduler. */
  readonly slot: number;
}

/** The pods of one cluster, sorted so that a plan does not depend on the order in which they were seen. */
export interface Census {
  readonly schedulers: readonly Member[];
  readonly workers: readonly Member[];
}

export function takeCensus(pods: readonly Pod[], now: number): Census {
  const schedulers: Member[] = [];
  const workers: Member[] = [];
  for (const pod of pods) {
    const role = roleOfPod(pod);
    if (role === undefined) continue;
    const member: Member = {
      pod,
      state: podState(pod, role, now),
      incarnation: numberIn(pod, INCARNATION_LABEL),
      slot: numberIn(pod, SLOT_LABEL),
    };
    (role === 'scheduler' ? schedulers : workers).push(member);
  }
  return { schedulers: schedulers.sort(bySlotAndName), workers: workers.sort(bySlotAndName) };
}

export function isState<Kind extends PodState['kind']>(
  member: Member,
  kind: Kind,
): member is Member<Extract<PodState, { kind: Kind }>> {
  return member.state.kind === kind;
}

/** Pods that still run or will; finished and terminating ones hold nothing. */
export function isLive(member: Member): boolean {
  return member.state.kind === 'pending' || member.state.kind === 'running';
}

function numberIn(pod: Pod, label: string): number {
  const number = Number(pod.metadata.labels?.[label]);
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

function bySlotAndName(one: Member, other: Member): number {
  const [a, b] = [one.pod.metadata.name ?? '', other.pod.metadata.name ?? ''];
  return one.slot - other.slot || (a < b ? -1 : a > b ? 1 : 0);
}
