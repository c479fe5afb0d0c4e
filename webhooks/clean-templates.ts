import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Of 44 characters each, with the bookkeeping: about 4 MiB in all. */
const MOST = 20_000;

/**
 * Templates of which neither a rule nor Kubernetes had anything to say, by what that depends on. Holds no word of them,
 * and takes the same little memory for the largest one.
 */
export class CleanTemplates {
  private readonly keys = new LRUCache<string, true>({ max: MOST });

  /** @param parts all that the verdict depends on, none with a line break in it but the last */
  keyOf(...parts: readonly string[]): string {
    return hash('sha256', parts.join('\n'), 'base64');
  }

  has(key: string): boolean {
    return this.keys.get(key) === true;
  }

  add(key: string): void {
    this.keys.set(key, true);
  }
}
