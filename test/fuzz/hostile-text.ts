import fc, { type Arbitrary } from 'fast-check';

const WORDS = [
  ...['\n', '\n  ', '\n    ', '- ', ': ', ', ', '? ', '\t', ' ', '\r', '\n---\n', '\n...\n', '\n%YAML 1.1\n'],
  ...['{', '}', '[', ']', '"', "'", '|\n', '>-\n', '#', '\\', '\\x', '\\ud800', '@', '`', '%'],
  ...['&a ', '*a', '*b', '<<: *a', '<<: [*a, *a]', '<<: 1', '&a *a', '&a [*a]', '&a {b: *a}'],
  ...[
    '!!binary x',
    '!!set {a}',
    '!!omap [a: 1]',
    '!!int x',
    '!!float .nan',
    '!x ',
    '!<tag:x> ',
    '!!js/function x',
  ],
  ...[
    'null',
    '~',
    'yes',
    '0644',
    '0x1',
    '1_000',
    '12:30',
    '2026-01-01',
    '.inf',
    '1e400',
    '-0',
    '=',
    '__proto__: 1',
  ],
  ...[
    '\u0000',
    '\ud800',
    '\ufeff',
    '\u2028',
    '\u0085',
    '🎈',
    '[a]: 1',
    '{a: 1}: 2',
    'constructor: {prototype: 1}',
  ],
];

/** Pieces of YAML, also such as no writer of YAML would write. */
export const hostilePiece: Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...WORDS) },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((words) => words.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
);

const CLUSTER = 'apiVersion: gateway.dask.org/v1alpha1\nkind: DaskCluster\nmetadata: {name: a}\n';

/** Each takes what is quadratic, or worse, in its length beyond any time. */
const HUGE: readonly string[] = [
  '['.repeat(10_000),
  '['.repeat(10_000) + ']'.repeat(10_000),
  '{a: '.repeat(10_000) + '}'.repeat(10_000),
  Array.from({ length: 2_000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join(''),
  '- '.repeat(10_000),
  `${'k'.repeat(200_000)}: 1\n`,
  `? ${'[a, '.repeat(2_000)}${']'.repeat(2_000)}\n: 1\n`,
  Array.from({ length: 20_000 }, (_, index) => `k${index}: 1\n`).join(''),
  Array.from({ length: 2_000 }, () => 'k: 1\n').join(''),
  `a: &a [${'x, '.repeat(1_000)}]\n${Array.from({ length: 90 }, (_, index) => `b${index}: *a\n`).join('')}`,
  ['a0: &a0 [x, x]', ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)].join(
    '\n',
  ),
  `a0: &a0 {x: 1}\n${Array.from({ length: 60 }, (_, i) => `a${i + 1}: &a${i + 1} {<<: [*a${i}, *a${i}]}\n`).join('')}`,
  `a: "${'\\n'.repeat(100_000)}"\n`,
  `a: |\n${'  x\n'.repeat(20_000)}`,
  '---\na: 1\n'.repeat(2_000),
  '#\n'.repeat(50_000),
  '&a '.repeat(5_000),
  '!!'.repeat(50_000),
  `${CLUSTER}spec:\n${Array.from({ length: 20_000 }, (_, index) => `  k${index}: 1\n`).join('')}`,
  `${CLUSTER}spec:\n${'  k: 1\n'.repeat(2_000)}`,
  `${CLUSTER}spec:\n  scheduler: {template: {spec: {containers: [${'{name: a}, '.repeat(5_000)}]}}}\n`,
  `apiVersion: v1\nkind: List\nitems:\n${'- {kind: DaskCluster, apiVersion: gateway.dask.org/v1alpha1}\n'.repeat(300)}`,
];

/** A text with some of its lines and characters cut out, doubled, moved or replaced. */
export function mutatedText(originals: readonly string[]): Arbitrary<string> {
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.oneof(fc.constant(0), fc.nat(60)),
    insert: fc.oneof(hostilePiece, fc.constant(undefined)),
    wholeLines: fc.boolean(),
  });
  const edits = fc.array(edit, { maxLength: 5 });
  const mutated = fc
    .tuple(fc.constantFrom(...originals), edits)
    .map(([text, changes]) => changes.reduce(edited, text));
  return fc.oneof(
    { weight: 40, arbitrary: mutated },
    { weight: 10, arbitrary: fc.array(hostilePiece, { maxLength: 40 }).map((pieces) => pieces.join('')) },
    { weight: 1, arbitrary: fc.constantFrom(...HUGE) },
  );
}

interface Edit {
  readonly at: number;
  readonly length: number;
  /** Undefined: what is cut out is put in twice. */
  readonly insert: string | undefined;
  readonly wholeLines: boolean;
}

function edited(text: string, { at, length, insert, wholeLines }: Edit): string {
  const units = wholeLines ? text.split(/(?<=\n)/) : [...text];
  const start = Math.floor(at * units.length);
  const cut = units.slice(start, start + (wholeLines ? Math.ceil(length / 12) : length)).join('');
  const rest = units.slice(start).join('').slice(cut.length);
  return units.slice(0, start).join('') + (insert ?? cut + cut) + rest;
}
