/** `too-slow`: it took longer than a call may. `busy`: its turn did not come in time. `broken`: podcheck itself failed. */
export type NoVerdictCause = 'too-slow' | 'busy' | 'broken';

/** Kubernetes' validation said nothing of a pod; the message says why. */
export class NoVerdict extends Error {
  override readonly name = 'NoVerdict';
  readonly why: NoVerdictCause;

  constructor(why: NoVerdictCause, message: string) {
    super(message);
    this.why = why;
  }
}
