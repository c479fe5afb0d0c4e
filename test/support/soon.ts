/**
 * What reacts to an event does so in a second or two; what waits for the next look takes 30 s and more. On shared
 * processors no more than that can be told apart: how fast it is, the benchmarks say.
 */
export const SOON_MS = 10_000;
