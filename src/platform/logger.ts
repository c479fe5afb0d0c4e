import { pino } from 'pino';
import type { DestinationStream } from 'pino';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What the product asks of a logger: fields first, then a sentence. An error stands in the field `err`. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** The same logger with these fields in every line. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}

export interface LoggerOptions {
  readonly name: string;
  readonly level: LogLevel;
  /** Where the lines go, one JSON object each; standard output, written asynchronously, when absent. */
  readonly destination?: DestinationStream;
}

/** Keys whose values are credentials in the objects that we handle: headers, kubeconfigs, Secrets, key pairs. */
const SECRET_KEYS = ['token', 'authorization', 'Authorization', 'password', 'keyPem', 'data', 'stringData'];
/** How many levels below a log line's top such a key is looked for. A wildcard of pino stands for one level. */
const SECRET_DEPTH = 3;

export function createLogger(options: LoggerOptions): Logger {
  return pino(
    {
      name: options.name,
      level: options.level,
      // Neither the process id nor the pod's name: the log collector knows both.
      base: {},
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths(), censor: '[redacted]' },
    },
    options.destination ?? pino.destination({ dest: 1, sync: false }),
  );
}

function secretPaths(): string[] {
  return Array.from({ length: SECRET_DEPTH + 1 }, (_, depth) => '*.'.repeat(depth)).flatMap((prefix) =>
    SECRET_KEYS.map((key) => prefix + key),
  );
}
