import type { Finding } from '../../core/findings.ts';
import type { Position } from '../../platform/yaml-documents.ts';

/** A finding, and where it stands in a file; what is stored in a cluster stands in none. */
export interface Told {
  readonly finding: Finding;
  readonly position: Position | undefined;
}

/** One object and what was found. */
export interface Judged {
  /** The file, or what stands for it. */
  readonly file: string;
  readonly start: Position | undefined;
  readonly namespace: string;
  readonly name: string;
  readonly findings: readonly Told[];
}

/** A file, or a document of one, that is not YAML or not there. */
export interface Unreadable {
  readonly file: string;
  readonly position: Position | undefined;
  readonly message: string;
}

/** What was done in all. */
export interface Tally {
  /** DaskClusters. */
  readonly judged: number;
  /** Of a running dask-gateway. */
  readonly pods: number;
  readonly refused: number;
  /** Files, in whole or in part. */
  readonly unreadable: number;
  /** Whether something could not be asked of a cluster. */
  readonly incomplete: boolean;
}

/** The rule of a document that is not YAML: it has no other. */
export const UNREADABLE = 'unreadable';

/** How results are written. */
export interface Report {
  judged(result: Judged): void;
  unreadable(fault: Unreadable): void;
  /** What concerns no object, but what could be asked. */
  note(message: string): void;
  end(tally: Tally): void;
}

export function isRefused({ findings }: Judged): boolean {
  return findings.some(({ finding }) => finding.level === 'error');
}
