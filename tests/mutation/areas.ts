/**
 * One part of the code whose tests are measured: the files to mutate, and the tests that should fail. Paths are globs from the root. Tests
 * run in this order: list the fastest first.
 */
export type Area = {
  readonly name: 'rules' | 'operations' | 'functions' | 'auth';
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  /** Tests that start servers: some of them run for a change that `tests` do not notice. */
  readonly further: readonly string[];
};

const sources = (folder: string): string[] => [`${folder}/**/*.ts`, `!${folder}/**/*.test.ts`];

const SERVERS = ['tests/{api,operating,interleaving,attacks,concurrency,functions,operations}/*.test.ts'];

export const AREAS: readonly Area[] = [
  { name: 'rules', mutate: sources('rules'), tests: ['rules/**/*.test.ts'], further: SERVERS },
  {
    name: 'operations',
    mutate: sources('server/operations'),
    tests: ['server/operations/**/*.test.ts', 'tests/operations/**/*.test.ts'],
    further: SERVERS,
  },
  {
    name: 'functions',
    mutate: sources('server/functions'),
    tests: ['server/functions/**/*.test.ts', 'tests/functions/**/*.test.ts'],
    further: SERVERS,
  },
  {
    name: 'auth',
    mutate: [...sources('server/auth'), '!server/auth/accounts/common-passwords.ts'],
    tests: ['server/auth/{accounts,core,import}/*.test.ts', 'tests/auth/**/*.test.ts'],
    further: ['server/auth/**/*.test.ts', 'tests/api/{auth*,account-ends,import-users}.test.ts'],
  },
];
