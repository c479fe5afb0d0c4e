import type { LogLevel } from './logger.ts';

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** A flag has a value that it cannot have; the message says which it can. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/** @throws FlagError */
export function wholeNumber(flag: string, text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) {
    throw new FlagError(`${flag}: must be a whole number from 0 on, not '${text}'`);
  }
  return number;
}

/** @throws FlagError */
export function logLevel(flag: string, text: string): LogLevel {
  const level = LEVELS.find((known) => known === text);
  if (level === undefined) throw new FlagError(`${flag}: must be one of ${LEVELS.join(', ')}, not '${text}'`);
  return level;
}
