import { isAbsolute, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Level } from '../../core/findings.ts';
import { CATALOGUE } from '../../core/rules/catalogue.ts';
import type { Position } from '../../platform/yaml-documents.ts';
import { VERSION } from '../../platform/version.ts';
import { UNREADABLE, type Judged, type Report, type Told, type Unreadable } from './report.ts';

interface Location {
  readonly physicalLocation?: {
    readonly artifactLocation: { readonly uri: string };
    readonly region: { readonly startLine: number; readonly startColumn: number };
  };
  readonly logicalLocations?: readonly [{ readonly fullyQualifiedName: string }];
}

interface Result {
  readonly ruleId: string;
  readonly level: Level;
  readonly message: { readonly text: string };
  readonly locations: readonly [Location];
}

/**
 * For code scanning and editors: one SARIF 2.1.0 document, written at the end.
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export class SarifReport implements Report {
  private readonly write: (line: string) => void;
  private readonly results: Result[] = [];
  private readonly problems: string[] = [];

  constructor(write: (line: string) => void) {
    this.write = write;
  }

  judged({ file, namespace, name, findings }: Judged): void {
    for (const told of findings) this.results.push(resultOf(file, `${namespace}/${name}`, told));
  }

  unreadable({ file, position, message }: Unreadable): void {
    if (position === undefined) this.problems.push(`${file}: ${message}`);
    else {
      const locations: readonly [Location] = [physical(file, position)];
      this.results.push({ ruleId: UNREADABLE, level: 'error', message: { text: message }, locations });
    }
  }

  note(message: string): void {
    this.problems.push(message);
  }

  end(): void {
    const rules = [...CATALOGUE, { id: UNREADABLE, level: 'error' }].map(({ id, level }) => ({
      id,
      defaultConfiguration: { level },
    }));
    const run = {
      tool: { driver: { name: 'daskwarden', version: VERSION, rules } },
      columnKind: 'utf16CodeUnits',
      results: this.results,
      invocations: [
        {
          executionSuccessful: this.problems.length === 0,
          toolExecutionNotifications: this.problems.map((text) => ({ level: 'error', message: { text } })),
        },
      ],
    };
    const $schema = 'https://json.schemastore.org/sarif-2.1.0.json';
    this.write(JSON.stringify({ $schema, version: '2.1.0', runs: [run] }, undefined, 2));
  }
}

function resultOf(file: string, object: string, { finding, position }: Told): Result {
  const { level, path, message, rule } = finding;
  const field = path.toString();
  const logicalLocations = [{ fullyQualifiedName: `${object}/${field}` }] as const;
  return {
    ruleId: rule,
    level,
    message: { text: `${field}: ${message}` },
    locations: [{ ...(position && physical(file, position)), logicalLocations }],
  };
}

function physical(file: string, { line, column }: Position): Location {
  const region = { startLine: line, startColumn: column };
  return { physicalLocation: { artifactLocation: { uri: uriOf(file) }, region } };
}

/** Relative to where the command runs, as scanners of a repository want it. */
function uriOf(file: string): string {
  if (isAbsolute(file)) return pathToFileURL(file).href;
  return file.split(sep).map(encodeURIComponent).join('/');
}
