import { defineConfig } from 'vitest/config';

/** The tests of what is mutated, and no others: each mutant is run against all of them that reach it. */
export default defineConfig({
  test: {
    include: [
      'test/unit/core/rules/**/*.test.ts',
      'test/unit/core/judge.test.ts',
      'test/unit/docs/rules.test.ts',
      'test/unit/webhooks/{certificate-flags,cluster-review*,clusters,configurations,connect}.test.ts',
      'test/unit/webhooks/{decision*,pods,response,review,routes,scale-review}.test.ts',
    ],
  },
});
