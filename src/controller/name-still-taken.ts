/** A name that a cluster needs is taken by an object that is not its own: nothing that follows may be begun. */
export class NameStillTaken extends Error {
  override readonly name = 'NameStillTaken';
}
