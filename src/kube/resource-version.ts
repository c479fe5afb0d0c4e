/**
 * Whether the state at `version` contains what was written as `written`. Kubernetes makes resource versions decimal
 * numbers that can be compared within one resource (KEP-5504); false for anything else, which then proves nothing.
 */
export function hasReached(version: string | undefined, written: string | undefined): boolean {
  if (!isDecimal(version) || !isDecimal(written)) return false;
  return version.length === written.length ? version >= written : version.length > written.length;
}

/** Whether the version can be compared at all. */
export function isDecimal(version: string | undefined): version is string {
  return version !== undefined && /^[1-9]\d*$/.test(version);
}
