import { oracleBinary } from './oracle.ts';

/** Before the tests: their deadlines are not for a compiler. */
export async function setup(): Promise<void> {
  await oracleBinary({ report: console.log });
}
