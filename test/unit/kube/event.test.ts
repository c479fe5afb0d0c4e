import { expect, test } from 'vitest';
import { referenceTo, renderEvent } from '../../../src/kube/event.ts';
import type { EventObject } from '../../../src/kube/event.ts';

const reporter = { controller: 'daskwarden.dev/controller', instance: 'pod-1' };

function render(note: string, name = 'a', sequence = 0): EventObject {
  const regarding = referenceTo({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
  return renderEvent({ regarding, type: 'Normal', reason: 'R', note }, reporter, 1_000, sequence);
}

test('a note of 1,024 bytes stays whole', () => {
  expect(render('x'.repeat(1_024)).note).toBe('x'.repeat(1_024));
});

test.each(['x', 'ä', '日', '😀'])(
  'a longer note of %s ends with an ellipsis, within 1,024 bytes',
  (character) => {
    const { note } = render(character.repeat(2_000));
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1_024);
    expect(Buffer.byteLength(note)).toBeGreaterThan(1_020 - 4);
    expect(note.replaceAll(character, '')).toBe('…');
  },
);

test('a name of full length gives a valid name', () => {
  const { name } = render('', `${'a'.repeat(229)}.${'b'.repeat(23)}`).metadata;
  expect(name.length).toBeLessThanOrEqual(253);
  expect(name).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/);
});

test('two of the same millisecond have two names', () => {
  expect(render('', 'a', 1).metadata.name).not.toBe(render('', 'a', 2).metadata.name);
});

test('about an object without a namespace goes where the API server wants it', () => {
  expect(render('').metadata.namespace).toBe('default');
});
