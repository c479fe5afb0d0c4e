import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../../src/api/field-path.ts';
import { commandOptions } from '../../../../src/core/rules/command-options.ts';

function optionsOf(command: string[] | undefined, args?: string[]): readonly string[] {
  const container = { name: 'c', ...(command && { command }), ...(args && { args }) };
  return commandOptions({ container, path: FieldPath.of('c') }).map(
    ({ name, value, path }) => `${name}=${value} at ${path.toString()}`,
  );
}

const PORT = ['--port', '1'];

describe('the options of a command', () => {
  it('are read in one word and in two, over both fields', () => {
    expect(optionsOf(['dask', '--port=1', '--host'], ['h', '--x='])).toEqual([
      '--port=1 at c.command[1]',
      '--host=h at c.args[0]',
      '--x= at c.args[1]',
    ]);
  });

  it.each([
    ...['dask', '/opt/conda/bin/dask', 'dask-scheduler', 'dask_worker', 'distributed.cli.dask_worker'],
    ...['dask-cuda-worker', 'dask_cuda_worker', 'dask-worker'],
  ])('begin at %s: what comes before is of a program around it', (dask) => {
    expect(optionsOf(['tini', '--port', '9', dask, ...PORT])).toEqual(['--port=1 at c.command[5]']);
  });

  it.each(['mydask', 'dask-ssh', 'dask-scheduler-x', 'dask-cudaworker', 'daskscheduler'])(
    'do not begin at %s',
    (other) => {
      expect(optionsOf(['tini', '--port', '9', other])).toEqual(['--port=9 at c.command[2]']);
      expect(optionsOf(['--a=1', other, 'dask', ...PORT])).toEqual(['--port=1 at c.command[4]']);
    },
  );

  it('are all that there are where nothing names Dask, and none where there are no words', () => {
    expect(optionsOf(undefined, PORT)).toEqual(['--port=1 at c.args[1]']);
    expect(optionsOf(undefined)).toEqual([]);
  });

  it('are none in a shell’s line, in words with anything before or behind, and where only the kubelet knows', () => {
    expect(optionsOf(['sh', '-c', 'dask --port=1'])).toEqual([]);
    expect(optionsOf(['x--port=1', '--port1=2', '--Port=1', '-p', '1'])).toEqual([]);
    expect(optionsOf(['--port=$(PORT)', '--port', '$(PORT)'])).toEqual([]);
    expect(optionsOf(['--port'])).toEqual([]);
  });

  it('may have values with line breaks', () => {
    expect(optionsOf(['--x=a\nb'])).toEqual(['--x=a\nb at c.command[0]']);
  });
});
