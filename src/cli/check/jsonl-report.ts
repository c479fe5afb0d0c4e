import type { Level } from '../../core/findings.ts';
import { isRefused, UNREADABLE, type Judged, type Report, type Unreadable } from './report.ts';

/** One line of `--output jsonl`. Line and column count from 1, and are null for what stands in no file. */
interface Line {
  readonly file: string;
  readonly line: number | null;
  readonly namespace: string;
  readonly name: string;
  readonly verdict: 'allow' | 'deny';
  readonly findings: readonly {
    readonly level: Level;
    readonly path: string;
    readonly rule: string;
    readonly message: string;
    readonly line: number | null;
    readonly column: number | null;
  }[];
}

export interface JsonlOptions {
  readonly write: (line: string) => void;
  /** For what is no document. */
  readonly writeError: (line: string) => void;
}

/** For programs: one line a document, and nothing else on standard output. */
export class JsonlReport implements Report {
  private readonly options: JsonlOptions;

  constructor(options: JsonlOptions) {
    this.options = options;
  }

  judged(result: Judged): void {
    this.write({
      file: result.file,
      line: result.start?.line ?? null,
      namespace: result.namespace,
      name: result.name,
      verdict: isRefused(result) ? 'deny' : 'allow',
      findings: result.findings.map(({ finding: { level, path, rule, message }, position }) => ({
        ...{ level, path: path.toString(), rule, message },
        ...{ line: position?.line ?? null, column: position?.column ?? null },
      })),
    });
  }

  unreadable({ file, position, message }: Unreadable): void {
    if (position === undefined) {
      this.options.writeError(`daskwarden: ${file}: ${message}`);
      return;
    }
    const finding = { level: 'error', path: '', rule: UNREADABLE, message, ...position } as const;
    this.write({ file, line: position.line, namespace: '', name: '', verdict: 'deny', findings: [finding] });
  }

  note(message: string): void {
    this.options.writeError(`daskwarden: ${message}`);
  }

  end(): void {
    // A last line would be no document.
  }

  private write(line: Line): void {
    this.options.write(JSON.stringify(line));
  }
}
