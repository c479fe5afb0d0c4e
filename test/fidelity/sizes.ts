/** A whole number from the environment. */
function numberFrom(name: string, fallback: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new Error(`${name}: must be a whole number, not '${text}'`);
  return number;
}

/** Manifests that are judged by us and by the oracle: 20,000 for the whole of it. */
export const ORACLE_MANIFESTS = numberFrom('DASKWARDEN_FIDELITY_ORACLE', 2_000);
/** Manifests that are sent to an API server: 5,000 for the whole of it. */
export const SERVER_MANIFESTS = numberFrom('DASKWARDEN_FIDELITY_SERVER', 1_000);
/** The same manifests every time, or others. */
export const SEED = numberFrom('DASKWARDEN_FIDELITY_SEED', 20_261_201);
