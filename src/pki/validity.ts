export const DAY_MS = 86_400_000;

/** How far a certificate's start lies in the past, for machines whose clock is behind ours. */
export const BACKDATE_MS = 5 * 60_000;
