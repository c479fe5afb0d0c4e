import type { DaskCluster } from '../api/dask-cluster.ts';
import type { Finding } from '../core/findings.ts';
import { judge } from '../core/judge.ts';

/** A stored cluster as it may be worked on, and what is wrong with it. */
export interface Judged {
  readonly cluster: DaskCluster;
  readonly errors: readonly Finding[];
}

interface Entry {
  readonly generation: number | undefined;
  readonly sound: DaskCluster;
  readonly errors: readonly Finding[];
}

/** Judges each version of a cluster's spec once: status and pods change far more often than it does. */
export class Verdicts {
  private readonly entries = new Map<string, Entry>();

  of(cluster: DaskCluster): Judged {
    const { uid = '', generation } = cluster.metadata;
    let entry = this.entries.get(uid);
    if (entry === undefined || entry.generation !== generation) {
      const { findings, sound } = judge({ object: cluster });
      entry = { generation, sound, errors: findings.filter(({ level }) => level === 'error') };
      this.entries.set(uid, entry);
    }
    // The status is ours and the metadata the API server's; only the spec is what somebody wrote.
    return {
      cluster: { ...cluster, spec: entry.sound.spec },
      errors: entry.errors,
    };
  }

  forget(uid: string): void {
    this.entries.delete(uid);
  }
}
