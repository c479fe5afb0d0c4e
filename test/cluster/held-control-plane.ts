/** A program that starts a control plane, tells of it on standard output, and holds it until it is killed. */
import { COMPONENTS } from '../../src/control-plane/component.ts';
import { startControlPlane } from '../../src/control-plane/control-plane.ts';
import { ensureBinaries } from '../../src/control-plane/ensure-binaries.ts';

export interface HeldControlPlane {
  readonly directory: string;
  readonly pids: readonly number[];
}

const options = {
  report: () => undefined,
  signal: new AbortController().signal,
  env: process.env,
};
const plane = await startControlPlane({ ...options, binaries: await ensureBinaries(options) });
const held: HeldControlPlane = {
  directory: plane.directory,
  pids: COMPONENTS.map((component) => plane.pidOf(component)),
};
process.stdout.write(`${JSON.stringify(held)}\n`);
