import { createLogger } from '../../../src/platform/logger.ts';
import type { Logger } from '../../../src/platform/logger.ts';

/** The product's own logger, with its lines kept, parsed, for the test to look at. */
export function recordedLog(): { readonly log: Logger; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const destination = {
    write: (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>),
  };
  return { log: createLogger({ name: 'test', level: 'debug', destination }), lines };
}
