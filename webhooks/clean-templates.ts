import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** A key of 44 characters and its bookkeeping, about. */
const ENTRY_BYTES = 256;

/**
 * Templates of which neither a rule nor Kubernetes had anything to say, by what that depends on. Holds no word of them,
 * and takes the same little memory for the largest one.
 */
export class CleanTemplates {
  private readonly keys: LRUCache<string, true>;

  constructor(mostBytes: number) {
    this.keys = new LRUCache({ max: Math.max(1, Math.floor(mostBytes / ENTRY_BYTES)) });
  }

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
