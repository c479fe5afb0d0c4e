/** A control plane that cannot be built or started; the message says what is missing and what is possible. */
export class ControlPlaneError extends Error {
  override readonly name = 'ControlPlaneError';
}
