import type { Clock } from './clock.ts';
import { ConfigurationError } from './configuration-error.ts';
import type { Logger } from './logger.ts';
import {
  parseConfigurationText,
  readConfigurationText,
  type ParseConfiguration,
} from './read-configuration.ts';

export interface ConfigurationFileOptions<T extends object> {
  readonly path: string;
  readonly parse: ParseConfiguration<T>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What became of a changed file: it is in force, or the configuration before it still is. */
export type ReloadResult = 'applied' | 'refused';

/** Mounted ConfigMaps change by a symbolic link above them, of which the file itself tells nobody: so it is read. */
const POLL_MS = 2_000;
/** What is written in place may be seen half-written: only what is the same a moment later counts. */
const SETTLE_MS = 250;

/** The configuration in a file, read again when the file changes. A bad change is told, and changes nothing. */
export class ConfigurationFile<T extends object> {
  private readonly options: ConfigurationFileOptions<T>;
  private readonly listeners: ((value: T) => void)[] = [];
  private readonly reloadListeners: ((result: ReloadResult) => void)[] = [];
  private value: T;
  /** What was in the file when it was looked at last, or why it could not be read. */
  private seen: string;

  private constructor(options: ConfigurationFileOptions<T>, value: T, seen: string) {
    this.options = options;
    this.value = value;
    this.seen = seen;
  }

  /** @throws ConfigurationError with every problem of the file */
  static async load<T extends object>(options: ConfigurationFileOptions<T>): Promise<ConfigurationFile<T>> {
    const text = await readConfigurationText(options.path);
    return new ConfigurationFile(options, parseConfigurationText(options.path, text, options.parse), text);
  }

  /** The newest configuration without a fault; of an object that is never changed. */
  current(): T {
    return this.value;
  }

  /** Called with each configuration that replaces another one. */
  onChange(listener: (value: T) => void): void {
    this.listeners.push(listener);
  }

  /** Called once for each change of the file, whatever became of it. */
  onReload(listener: (result: ReloadResult) => void): void {
    this.reloadListeners.push(listener);
  }

  /** Looks for changes until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.options;
    let changed: string | undefined;
    while (!signal.aborted) {
      const found = await this.look();
      const isSettled = found.key === changed;
      changed = found.key === this.seen || isSettled ? undefined : found.key;
      if (isSettled && found.key !== this.seen) this.reload(found);
      await clock.sleep(changed === undefined ? POLL_MS : SETTLE_MS, signal).catch(() => undefined);
    }
  }

  private async look(): Promise<Found> {
    try {
      const text = await readConfigurationText(this.options.path);
      return { key: text, read: () => text };
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return {
        key: `unreadable: ${error.message}`,
        read: () => {
          throw error;
        },
      };
    }
  }

  private reload(found: Found): void {
    const { path, parse, log } = this.options;
    this.seen = found.key;
    try {
      this.value = parseConfigurationText(path, found.read(), parse);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      log.error(
        { problems: error.problems },
        'the changed configuration is bad; the one before it stays in force',
      );
      this.reloaded('refused');
      return;
    }
    log.info({ path }, 'the changed configuration is in force');
    this.reloaded('applied');
    for (const listener of this.listeners) listener(this.value);
  }

  private reloaded(result: ReloadResult): void {
    for (const listener of this.reloadListeners) listener(result);
  }
}

interface Found {
  /** Equal where nothing has changed. */
  readonly key: string;
  /** @throws ConfigurationError where the file cannot be read */
  readonly read: () => string;
}
