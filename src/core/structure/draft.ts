type Node = Record<string, unknown>;

/** A changed copy of an object. What does not change is shared with the original, which is never touched. */
export class Draft {
  #root: unknown;
  readonly #copies = new WeakSet();

  constructor(original: unknown) {
    this.#root = original;
  }

  /** The copy as it is now; the original itself while nothing is changed. */
  get value(): unknown {
    return this.#root;
  }

  /** Puts a value where one stands already; elsewhere it does nothing. */
  replace(segments: readonly string[], value: unknown): void {
    this.#change(segments, (parent, key) => {
      parent[key] = value;
    });
  }

  /** Takes a field out of its object, and leaves an empty object of the item's kind in a list, so that indices stay. */
  drop(segments: readonly string[], inList: unknown): void {
    this.#change(segments, (parent, key) => {
      if (Array.isArray(parent)) parent[Number(key)] = inList;
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a field of a parsed JSON object
      else delete parent[key];
    });
  }

  #change(segments: readonly string[], change: (parent: Node, key: string) => void): void {
    const key = segments.at(-1);
    if (key === undefined) return;
    let parent = (this.#root = this.#copied(this.#root));
    for (const segment of segments.slice(0, -1)) {
      if (!isNode(parent) || !Object.hasOwn(parent, segment)) return;
      parent = parent[segment] = this.#copied(parent[segment]);
    }
    if (isNode(parent) && Object.hasOwn(parent, key)) change(parent, key);
  }

  #copied(value: unknown): unknown {
    if (!isNode(value) || this.#copies.has(value)) return value;
    // A spread copies an own key `__proto__` as what it is: a key.
    const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
    this.#copies.add(copy);
    return copy;
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
