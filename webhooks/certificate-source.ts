/** Where the serving certificate comes from. It is handed to the server when there is another one. */
export interface LeafSource {
  /** Keeps a leaf in use until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** The certificates that the leaf in use can be verified by, PEM; undefined while there is no leaf. */
  readonly authority: string | undefined;
  /** When the leaf in use expires, epoch milliseconds; undefined while there is none. */
  readonly notAfterMs: number | undefined;
}
