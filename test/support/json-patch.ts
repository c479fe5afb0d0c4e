import type { JsonPatchOperation } from '../../src/core/json-patch.ts';

/** The document after a patch, as RFC 6902 says it; the document itself is left alone. */
export function applyJsonPatch<T>(document: T, operations: readonly JsonPatchOperation[]): T {
  const copy = structuredClone(document);
  for (const operation of operations) applyOperation(copy, operation);
  return copy;
}

function applyOperation(document: unknown, operation: JsonPatchOperation): void {
  const segments = operation.path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = segments.pop();
  if (last === undefined) throw new Error('the whole document cannot be patched');
  let parent = document;
  for (const segment of segments) parent = member(parent, segment, operation.path);
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : Number(last);
    if (operation.op === 'add') parent.splice(index, 0, operation.value);
    else parent.splice(index, 1);
    return;
  }
  const target = object(parent, operation.path);
  if (operation.op === 'add') target[last] = operation.value;
  else Reflect.deleteProperty(target, last);
}

function member(parent: unknown, segment: string, path: string): unknown {
  return object(parent, path)[segment];
}

function object(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error(`${path}: its parent is not there`);
  return value as Record<string, unknown>;
}
