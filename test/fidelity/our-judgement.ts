import { DEFAULT_POLICY } from '../../src/core/policy/policy.ts';
import type { Verdict } from '../../src/core/judge.ts';
import { inOrder } from '../../src/cli/check/in-order.ts';
import { Judgement } from '../../webhooks/judgement.ts';
import { Podcheck } from '../../webhooks/podcheck/podcheck.ts';
import { podcheckRelease } from '../../webhooks/podcheck/release.ts';

/** As many as podcheck lets wait. */
const AT_ONCE = 16;

/** The judgement of webhook and command line, with all the time in the world: other tests run beside it. */
export class OurJudgement implements AsyncDisposable {
  private readonly podcheck = new Podcheck({ timeoutMs: 60_000, longestWaitMs: 600_000 });
  private readonly judgement = new Judgement({ podcheck: this.podcheck, release: podcheckRelease() });

  async of(manifests: readonly object[]): Promise<readonly Verdict[]> {
    const judged = inOrder(manifests, AT_ONCE, (object) =>
      this.judgement.judge({ object, policy: DEFAULT_POLICY, podSecurity: 'privileged' }),
    );
    const verdicts: Verdict[] = [];
    for await (const verdict of judged) verdicts.push(verdict);
    return verdicts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.podcheck.close();
  }
}
