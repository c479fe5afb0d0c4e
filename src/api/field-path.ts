type Segment =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number; readonly identity: string | undefined };

/**
 * The place of a value in an object, written as Kubernetes writes it:
 * `spec.worker.template.spec.containers[0].resources.limits[cpu]`.
 * Immutable; every step returns a new path.
 */
export class FieldPath {
  static readonly root = new FieldPath(undefined, undefined);
  /** Shared with all other paths below it: rules make many more paths than they find faults. */
  private readonly parent: FieldPath | undefined;
  private readonly segment: Segment | undefined;

  private constructor(parent: FieldPath | undefined, segment: Segment | undefined) {
    this.parent = parent;
    this.segment = segment;
  }

  static of(...fields: string[]): FieldPath {
    return FieldPath.root.child(...fields);
  }

  /** Steps into named fields of an object. */
  child(...fields: string[]): FieldPath {
    return fields.reduce<FieldPath>((path, name) => new FieldPath(path, { kind: 'field', name }), this);
  }

  /** Steps into an entry of a map with free keys (labels, limits). */
  key(key: string): FieldPath {
    return new FieldPath(this, { kind: 'key', key });
  }

  /**
   * Steps into an item of a list.
   * @param identity the item's name where it has one; two versions of a list are compared by it, not by position
   */
  index(index: number, identity?: string): FieldPath {
    return new FieldPath(this, { kind: 'index', index, identity });
  }

  /** The keys and positions that lead from the object to the value. */
  keys(): readonly (string | number)[] {
    return this.segments().map((segment) => {
      if (segment.kind === 'index') return segment.index;
      return segment.kind === 'field' ? segment.name : segment.key;
    });
  }

  toString(): string {
    return this.render((segment) => `[${String(segment.index)}]`);
  }

  /** The path with list items by name instead of position: equal for the same item of two versions of an object. */
  identity(): string {
    return this.render((segment) =>
      segment.identity === undefined
        ? `[${String(segment.index)}]`
        : `[name=${JSON.stringify(segment.identity)}]`,
    );
  }

  private segments(): Segment[] {
    if (this.parent === undefined || this.segment === undefined) return [];
    const segments = this.parent.segments();
    segments.push(this.segment);
    return segments;
  }

  private render(item: (segment: Extract<Segment, { kind: 'index' }>) => string): string {
    let text = '';
    for (const segment of this.segments()) {
      if (segment.kind === 'field') text += text === '' ? segment.name : `.${segment.name}`;
      else if (segment.kind === 'key') text += `[${segment.key}]`;
      else text += item(segment);
    }
    return text;
  }
}

/** Whether a path, as text, is a place or leads below it. */
export function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
}
