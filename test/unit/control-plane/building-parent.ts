/** A program that builds what is missing for the environment that it is given. */
import { buildMissing } from '../../../src/control-plane/build-missing.ts';

await buildMissing(
  { version: '1.26.8', moduleCache: '/nowhere', proxy: 'off' },
  { env: process.env, report: () => undefined, signal: new AbortController().signal },
);
