import type { GoModule } from './versions.ts';

/** Flags of `go build` that are the same for every module and, with the linker's values, decide the result. */
export function buildFlags(module: GoModule): readonly string[] {
  const values = module.linkerValues.flatMap((value) => ['-X', value]);
  return [
    '-mod=readonly',
    '-buildvcs=false',
    // Without it Go makes the modules read-only, and removing them fails.
    '-modcacherw',
    '-trimpath',
    `-ldflags=${['-s', '-w', ...values].join(' ')}`,
  ];
}
