import { KnownFields } from '../src/core/pod-verdict/known-fields.ts';
import type { KubeClient } from '../src/kube/client.ts';
import type { Clock } from '../src/platform/clock.ts';
import type { Logger } from '../src/platform/logger.ts';

const PATH = '/openapi/v3/api/v1';
/** The document changes when somebody upgrades the control plane. */
const REFRESH_MS = 60 * 60 * 1_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 10 * 60 * 1_000;
/** It has about 2 MB; what is far bigger comes from no API server, and would hold up the event loop. */
const LARGEST_CHARACTERS = 16 * 1024 * 1024;

/** Which fields of pods the API server knows; it may be newer than what judges them here. */
export class ServerFields {
  private readonly client: Pick<KubeClient, 'request'>;
  private readonly clock: Clock;
  private readonly log: Logger;
  private known: KnownFields | undefined;

  constructor(options: {
    readonly client: Pick<KubeClient, 'request'>;
    readonly clock: Clock;
    readonly log: Logger;
  }) {
    this.client = options.client;
    this.clock = options.clock;
    this.log = options.log;
  }

  /** Undefined until the API server has said it. What it said last stays while it cannot be asked. */
  get current(): KnownFields | undefined {
    return this.known;
  }

  /** Asks once, again while there is no answer, and then rarely. Resolves when the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      failures = (await this.refresh(signal)) ? 0 : failures + 1;
      const delayMs =
        failures === 0 ? REFRESH_MS : Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS);
      await this.clock.sleep(delayMs, signal).catch(() => undefined);
    }
  }

  private async refresh(signal: AbortSignal): Promise<boolean> {
    try {
      const text = await this.client.request('GET', PATH, { signal });
      if (text.length > LARGEST_CHARACTERS) throw new RangeError(`${PATH}: ${text.length} characters`);
      this.known = KnownFields.of(JSON.parse(text));
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      const message = error instanceof Error ? error.message : String(error);
      this.log.warn({ message }, 'the API server did not say which fields it knows');
      return false;
    }
  }
}
