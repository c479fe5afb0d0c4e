/** A time as Leases and Events carry it: RFC 3339 with exactly six digits of the second; others are refused. */
export function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}
