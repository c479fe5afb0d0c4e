export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  /** JSON pointer. */
  readonly path: string;
  readonly value?: unknown;
}

/** The three ways to change an object that lose nobody else's fields. */
export type Patch =
  | { readonly type: 'json'; readonly operations: readonly JsonPatchOperation[] }
  | { readonly type: 'merge'; readonly body: object }
  /** Server-side apply; `body` carries apiVersion and kind. `force` takes fields over from other managers. */
  | { readonly type: 'apply'; readonly body: object; readonly force?: boolean };

export function encodePatch(patch: Patch): { readonly contentType: string; readonly text: string } {
  switch (patch.type) {
    case 'json':
      return { contentType: 'application/json-patch+json', text: JSON.stringify(patch.operations) };
    case 'merge':
      return { contentType: 'application/merge-patch+json', text: JSON.stringify(patch.body) };
    case 'apply':
      // JSON is YAML.
      return { contentType: 'application/apply-patch+yaml', text: JSON.stringify(patch.body) };
  }
}
