import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { writeOrCheck } from './generated-file.ts';
import type { CustomResourceDefinition } from './dask-cluster-crd.ts';
import { validatorModule } from './validator-module.ts';

/**
 * Writes `src/core/structure/validator.generated.ts` from `crds/daskclusters.yaml`; with `--check` compares it and
 * fails where they differ.
 *
 *     node crds/generate-validator.ts [--check]
 */
const COMMAND = 'node crds/generate-validator.ts';

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
  const yaml = await readFile(join(import.meta.dirname, 'daskclusters.yaml'), 'utf8');
  const crd = parse(yaml) as CustomResourceDefinition;
  const content = validatorModule(crd.spec.versions[0].schema.openAPIV3Schema, COMMAND);
  const path = join(import.meta.dirname, '../src/core/structure/validator.generated.ts');
  const { ok, message } = await writeOrCheck({ path, content, command: COMMAND }, values.check ?? false);
  process.stdout.write(`${message}\n`);
  return ok ? 0 : 1;
}

process.exitCode = await main();
