import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** One file of test/fixtures/manifests: a DaskCluster and the verdict that admission owes it. */
export interface Manifest {
  readonly file: string;
  readonly text: string;
  readonly expect: 'allow' | 'deny';
  /** The field that a denial names; it may name a longer path. `limits[cpu]` and `limits.cpu` are the same. */
  readonly path: string | undefined;
  /** The verdict can only come from Kubernetes' own validation of the pods; says what that validation sees. */
  readonly needsPodValidation: string | undefined;
  readonly object: Readonly<Record<string, unknown>>;
}

const folder = join(import.meta.dirname, '../fixtures/manifests');

const NEED_POD_VALIDATION: Readonly<Record<string, string>> = {
  'duplicate-container-name.yaml': 'two containers of one name',
  'duplicate-volume.yaml': 'two volumes of one name',
  'exists-with-value.yaml': 'a toleration with the operator Exists and a value',
  'gpu-request-only.yaml': 'an extended resource requested without an equal limit',
  'missing-volume.yaml': 'a mount of a volume that is not there',
  'toleration-seconds.yaml': 'tolerationSeconds without the effect NoExecute',
  'uppercase-cpu.yaml': 'a resource name that is not known',
};

export const MANIFESTS: readonly Manifest[] = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .map(load);

function load(file: string): Manifest {
  const text = readFileSync(join(folder, file), 'utf8');
  const [, verdict, path] = /^# expect: (allow|deny)(?: (\S+))?\n/.exec(text) ?? [];
  if (verdict === undefined || (verdict === 'deny') !== (path !== undefined)) {
    throw new Error(`${file}: the first line must be '# expect: allow' or '# expect: deny <field path>'`);
  }
  return {
    file,
    text,
    expect: verdict === 'deny' ? 'deny' : 'allow',
    path,
    needsPodValidation: NEED_POD_VALIDATION[file],
    object: parse(text) as Readonly<Record<string, unknown>>,
  };
}

/** Whether a path that was told is the expected one, or one below it. */
export function isAtOrBelow(told: string, expected: string): boolean {
  const [a, b] = [told, expected].map((path) => path.replaceAll(/\[([^\d\]][^\]]*)\]/g, '.$1'));
  return a === b || a?.startsWith(`${b ?? ''}.`) === true || a?.startsWith(`${b ?? ''}[`) === true;
}
