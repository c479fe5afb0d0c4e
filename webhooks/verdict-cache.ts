import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Policy, PodSecurityLevel } from '../src/core/policy/policy.ts';
import { isSilent, type PodVerdict } from '../src/core/pod-verdict/verdict.ts';
import type { PodQuestion } from './podcheck/question.ts';

/** Who says what Kubernetes says: podcheck, or a stand-in. */
export interface PodJudge {
  /** @throws NoVerdict */
  check(questions: readonly PodQuestion[], tenant: string): Promise<readonly PodVerdict[]>;
}

export interface VerdictCacheOptions {
  readonly judge: PodJudge;
  /** Of the judge: a verdict of another one is another verdict. */
  readonly version: string;
  /** Of everything that is kept, about. */
  readonly mostBytes: number;
  readonly observe: (result: 'hit' | 'shared' | 'miss') => void;
}

/** What the pods of one cluster are judged by. */
export interface PodsInQuestion {
  /** Says which pods they are: equal where they are. */
  readonly source: string;
  /** The same of the pods that they take the place of, where that matters. */
  readonly oldSource?: string;
  readonly podSecurity: PodSecurityLevel;
  readonly policy: Policy;
  readonly tenant: string;
  /** Called where there is no verdict yet. */
  readonly questions: () => readonly PodQuestion[];
}

/** A key and the bookkeeping of an entry without a word in it. */
const ENTRY_BYTES = 256;
/** JSON that is held as objects takes about so much more. */
const BYTES_PER_CHARACTER = 4;

/**
 * Kubernetes' verdicts by what they depend on, the pods as they will be created: a change of replicas asks for nothing
 * that was not asked before. Equal questions that come together are asked once; what got no verdict is asked again.
 */
export class VerdictCache {
  private readonly options: VerdictCacheOptions;
  private readonly verdicts: LRUCache<string, readonly PodVerdict[]>;
  private readonly underWay = new Map<string, Promise<readonly PodVerdict[]>>();
  /** A configuration is one object until it is read again. */
  private readonly policies = new WeakMap<Policy, string>();

  constructor(options: VerdictCacheOptions) {
    this.options = options;
    this.verdicts = new LRUCache({
      maxSize: options.mostBytes,
      sizeCalculation: (verdicts) =>
        ENTRY_BYTES + (verdicts.every(isSilent) ? 0 : JSON.stringify(verdicts).length * BYTES_PER_CHARACTER),
    });
  }

  /**
   * @returns a verdict for each pod, at once where it is known
   * @throws NoVerdict, by the promise
   */
  of(question: PodsInQuestion): readonly PodVerdict[] | Promise<readonly PodVerdict[]> {
    const { observe } = this.options;
    const key = this.keyOf(question);
    const known = this.verdicts.get(key);
    const waiting = known === undefined ? this.underWay.get(key) : undefined;
    observe(known === undefined ? (waiting === undefined ? 'miss' : 'shared') : 'hit');
    return known ?? waiting ?? this.ask(key, question);
  }

  private async ask(key: string, question: PodsInQuestion): Promise<readonly PodVerdict[]> {
    const answer = this.options.judge.check(question.questions(), question.tenant);
    this.underWay.set(key, answer);
    try {
      const verdicts = await answer;
      this.verdicts.set(key, verdicts);
      return verdicts;
    } finally {
      this.underWay.delete(key);
    }
  }

  hashOf(policy: Policy): string {
    let policyHash = this.policies.get(policy);
    if (policyHash === undefined) {
      policyHash = hash('sha256', JSON.stringify(policy), 'base64');
      this.policies.set(policy, policyHash);
    }
    return policyHash;
  }

  private keyOf({ source, oldSource = '', podSecurity, policy }: PodsInQuestion): string {
    // None of the parts has a line break in it.
    const text = `${this.options.version}\n${this.hashOf(policy)}\n${podSecurity}\n${source}\n${oldSource}`;
    return hash('sha256', text, 'base64');
  }
}
