import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/**
 * The arrows between the folders, as docs/architecture.md draws them: a file may import its own folder and the
 * listed ones, nothing else. `api` knows nobody; `core` is pure and may not reach Node either.
 */
const arrows = {
  'src/api': [],
  'src/core': ['api'],
  'src/pki': ['api'],
  'src/kube': ['api', 'platform'],
  'src/platform': ['api'],
  'src/control-plane': ['api', 'platform', 'kube'],
  'src/controller': ['api', 'core', 'kube', 'pki', 'platform'],
  webhooks: ['api', 'core', 'kube', 'pki', 'platform'],
  'src/cli': ['api', 'core', 'kube', 'pki', 'platform', 'control-plane', 'controller', 'webhooks'],
};
const folders = ['api', 'core', 'pki', 'kube', 'platform', 'control-plane', 'controller', 'cli'];

function arrowRule(folder) {
  const own = folder.split('/').at(-1);
  const allowed = new Set([own, ...arrows[folder]]);
  const forbidden = [...folders, 'webhooks'].filter((name) => !allowed.has(name));
  const patterns = [
    {
      regex: `^\\.\\./(?:\\.\\./)*(?:src/)?(?:${forbidden.join('|')})/`,
      message: `${folder} may import only: ${[...allowed].join(', ')}`,
    },
    { regex: '(^|/)test/', message: 'the product does not import its tests' },
  ];
  if (folder === 'src/core' || folder === 'src/api') {
    patterns.push({ regex: '^(node:|undici|pino|fastify)', message: 'core is pure: data in, data out' });
  }
  if (folder !== 'src/kube' && folder !== 'src/api') {
    patterns.push({
      regex: '^@kubernetes/client-node',
      message: 'the client library is loaded lazily, by src/kube alone',
    });
  }
  return {
    files: [`${folder}/**/*.ts`],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  };
}

/** In src/core neither clock nor randomness: both are parameters. */
const pure = {
  files: ['src/core/**/*.ts', 'src/api/**/*.ts'],
  rules: {
    'no-restricted-globals': [
      'error',
      'process',
      'setTimeout',
      'setInterval',
      'fetch',
      'crypto',
      'performance',
    ],
    'no-restricted-properties': [
      'error',
      { object: 'Date', property: 'now', message: 'time is a parameter' },
      { object: 'Math', property: 'random', message: 'randomness is a parameter' },
    ],
    'no-restricted-syntax': [
      'error',
      { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: 'time is a parameter' },
    ],
  },
};

export default tseslint.config(
  { ignores: ['node_modules/', 'dist/', 'coverage/', '.stryker-tmp/', '**/*.generated.ts'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      complexity: ['error', 15],
      'max-depth': ['error', 3],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 4],
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      // The client library's models are classes that we use as shapes of JSON alone.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  pure,
  ...Object.keys(arrows).map(arrowRule),
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  { files: ['**/*.config.ts'], rules: { 'no-restricted-exports': 'off' } },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
);
