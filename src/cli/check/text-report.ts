import { styleText } from 'node:util';
import { GATEWAY_GROUP } from '../../api/names.ts';
import type { Position } from '../../platform/yaml-documents.ts';
import type { Judged, Report, Tally, Told, Unreadable } from './report.ts';

export interface TextOptions {
  readonly write: (line: string) => void;
  readonly colour: boolean;
}

type Style = 'red' | 'yellow' | 'bold' | 'cyan';

/** For people: one line a finding, as compilers write it, and one that sums up. */
export class TextReport implements Report {
  private readonly options: TextOptions;

  constructor(options: TextOptions) {
    this.options = options;
  }

  judged({ file, findings }: Judged): void {
    for (const told of findings) this.options.write(this.line(file, told));
  }

  unreadable({ file, position, message }: Unreadable): void {
    this.options.write(`${place(file, position)}: ${this.paint('red', 'error')} ${message}`);
  }

  note(message: string): void {
    this.options.write(`${this.paint('cyan', 'note')} ${message}`);
  }

  end(tally: Tally): void {
    this.options.write(summary(tally));
  }

  private line(file: string, { finding, position }: Told): string {
    const { level, path, message, rule } = finding;
    const word = this.paint(level === 'error' ? 'red' : 'yellow', level);
    return `${place(file, position)}: ${word} ${this.paint('bold', path.toString())}: ${message} [${rule}]`;
  }

  private paint(style: Style, words: string): string {
    return this.options.colour ? styleText(style, words, { validateStream: false }) : words;
  }
}

function place(file: string, at: Position | undefined): string {
  return at === undefined ? file : `${file}:${String(at.line)}:${String(at.column)}`;
}

/** The last line for people. Where none is found it names the group: dask-kubernetes has a kind of the same name. */
export function summary({ judged, pods, refused, unreadable }: Tally): string {
  const ofPods = pods === 0 ? '' : ` and ${counted(pods, 'pod')} of dask-gateway`;
  const told =
    judged + pods === 0
      ? `no DaskCluster of ${GATEWAY_GROUP} found`
      : `${counted(judged, 'DaskCluster')}${ofPods}, ${String(refused)} would be refused`;
  return unreadable === 0 ? told : `${told}; ${counted(unreadable, 'file')} could not be read`;
}

function counted(count: number, thing: string): string {
  return `${String(count)} ${thing}${count === 1 ? '' : 's'}`;
}
