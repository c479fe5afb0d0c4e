/** The tour cannot or may not be taken here; nothing was changed. The message says why and what is possible. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
