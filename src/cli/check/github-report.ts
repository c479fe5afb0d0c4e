import { isRefused, type Judged, type Report, type Tally, type Told, type Unreadable } from './report.ts';
import { summary } from './text-report.ts';

/**
 * For a job on GitHub Actions: workflow commands, which it shows as annotations at the line of the file, and a last
 * line for people.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
 */
export class GithubReport implements Report {
  private readonly write: (line: string) => void;

  constructor(write: (line: string) => void) {
    this.write = write;
  }

  judged(result: Judged): void {
    for (const told of result.findings) this.write(commandOf(result, told));
  }

  unreadable({ file, position, message }: Unreadable): void {
    this.write(command('error', message, { title: 'unreadable', file, ...placeOf(position) }));
  }

  note(message: string): void {
    this.write(command('notice', message, {}));
  }

  end(tally: Tally): void {
    this.write(summary(tally));
  }
}

function commandOf(result: Judged, { finding, position }: Told): string {
  const { level, path, message, rule } = finding;
  const verdict = isRefused(result) ? 'would be refused' : 'would be admitted';
  const title = `DaskCluster ${result.namespace}/${result.name} ${verdict}`;
  const words = `${path.toString()}: ${message} [${rule}]`;
  return command(level, words, { title, file: result.file, ...placeOf(position) });
}

function placeOf(position: Told['position']): { readonly line?: string; readonly col?: string } {
  return position === undefined ? {} : { line: String(position.line), col: String(position.column) };
}

function command(
  name: 'error' | 'warning' | 'notice',
  message: string,
  properties: Readonly<Record<string, string>>,
): string {
  const list = Object.entries(properties).map(([key, value]) => `${key}=${escapedProperty(value)}`);
  return `::${name}${list.length === 0 ? '' : ` ${list.join(',')}`}::${escaped(message)}`;
}

/** A name or a message with a line break would begin a command of its own. */
function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapedProperty(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
