/** What the limits leave to a cluster. */
export type Grant =
  /** All that its manifest asks for. */
  | { readonly kind: 'whole' }
  /** It runs, with fewer workers than it asks for. */
  | { readonly kind: 'clamped'; readonly workers: number; readonly message: string }
  /** It may not start yet. */
  | { readonly kind: 'waiting'; readonly message: string };

export function areSame(one: Grant, other: Grant): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
