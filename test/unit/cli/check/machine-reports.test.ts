import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../../src/api/field-path.ts';
import { GithubReport } from '../../../../src/cli/check/github-report.ts';
import type { Judged, Report, Tally } from '../../../../src/cli/check/report.ts';
import { SarifReport } from '../../../../src/cli/check/sarif-report.ts';
import { CATALOGUE } from '../../../../src/core/rules/catalogue.ts';

const IMAGE: Judged = {
  file: 'deploy/a b,c.yaml',
  start: { line: 2, column: 1 },
  namespace: 'team-a',
  name: 'demo',
  findings: [
    {
      finding: {
        ...{ rule: 'pod-validation', level: 'error', reason: 'FieldValueInvalid', value: 'lost' },
        path: FieldPath.of('spec', 'worker'),
        message: 'Not found: "lo\nst": 100%',
      },
      position: { line: 7, column: 3 },
    },
    {
      finding: {
        ...{ rule: 'memory-unit', level: 'warning', reason: 'FieldValueInvalid', value: undefined },
        path: FieldPath.of('spec'),
        message: 'is odd',
      },
      position: undefined,
    },
  ],
};
const TALLY: Tally = { judged: 1, pods: 0, refused: 1, unreadable: 1, incomplete: true };

function written(make: (write: (line: string) => void) => Report): readonly string[] {
  const lines: string[] = [];
  const report = make((line) => lines.push(line));
  report.judged(IMAGE);
  report.unreadable({ file: 'b.yaml', position: { line: 1, column: 5 }, message: 'Flow sequence' });
  report.unreadable({ file: 'absent.yaml', position: undefined, message: 'ENOENT' });
  report.note('quotas could not be asked');
  report.end(TALLY);
  return lines;
}

describe('--output github', () => {
  it('is a workflow command for each finding, on one line whatever stands in it', () => {
    const title = 'title=DaskCluster team-a/demo would be refused';
    expect(written((write) => new GithubReport(write))).toEqual([
      `::error ${title},file=deploy/a b%2Cc.yaml,line=7,col=3::spec.worker: Not found: "lo%0Ast": 100%25 [pod-validation]`,
      `::warning ${title},file=deploy/a b%2Cc.yaml::spec: is odd [memory-unit]`,
      '::error title=unreadable,file=b.yaml,line=1,col=5::Flow sequence',
      '::error title=unreadable,file=absent.yaml::ENOENT',
      '::notice::quotas could not be asked',
      '1 DaskCluster, 1 would be refused; 1 file could not be read',
    ]);
  });

  it('says of a cluster with warnings alone that it would be admitted', () => {
    const lines: string[] = [];
    new GithubReport((line) => lines.push(line)).judged({ ...IMAGE, findings: IMAGE.findings.slice(1) });
    expect(lines[0]).toContain('title=DaskCluster team-a/demo would be admitted,');
  });
});

describe('--output sarif', () => {
  const [text = '', ...others] = written((write) => new SarifReport(write));
  const log = JSON.parse(text) as {
    readonly version: string;
    readonly runs: readonly [
      {
        readonly tool: {
          readonly driver: { readonly name: string; readonly rules: readonly { id: string }[] };
        };
        readonly results: readonly unknown[];
        readonly invocations: readonly unknown[];
      },
    ];
  };
  const [run] = log.runs;

  it('is one document that lists every rule', () => {
    expect(others).toEqual([]);
    expect(log.version).toBe('2.1.0');
    expect(run.tool.driver.name).toBe('daskwarden');
    const ids = run.tool.driver.rules.map(({ id }) => id);
    expect(ids).toEqual([...CATALOGUE.map(({ id }) => id), 'unreadable']);
  });

  it('has a result for each finding, where it stands and in which object', () => {
    expect(run.results).toEqual([
      {
        ruleId: 'pod-validation',
        level: 'error',
        message: { text: 'spec.worker: Not found: "lo\nst": 100%' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'deploy/a%20b%2Cc.yaml' },
              region: { startLine: 7, startColumn: 3 },
            },
            logicalLocations: [{ fullyQualifiedName: 'team-a/demo/spec.worker' }],
          },
        ],
      },
      {
        ruleId: 'memory-unit',
        level: 'warning',
        message: { text: 'spec: is odd' },
        locations: [{ logicalLocations: [{ fullyQualifiedName: 'team-a/demo/spec' }] }],
      },
      {
        ruleId: 'unreadable',
        level: 'error',
        message: { text: 'Flow sequence' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'b.yaml' },
              region: { startLine: 1, startColumn: 5 },
            },
          },
        ],
      },
    ]);
  });

  it('says what could not be read or asked, and that the run was no success', () => {
    expect(run.invocations).toEqual([
      {
        executionSuccessful: false,
        toolExecutionNotifications: [
          { level: 'error', message: { text: 'absent.yaml: ENOENT' } },
          { level: 'error', message: { text: 'quotas could not be asked' } },
        ],
      },
    ]);
  });
});
