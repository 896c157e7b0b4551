/**
 * A part of the code whose tests are measured: the files to mutate, and the tests that should fail. Paths are globs from the root. Tests
 * run in the given order, so list the fastest first.
 */
export type Area = {
  readonly name: 'rules' | 'operations' | 'functions' | 'auth';
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
};

const sources = (folder: string): string[] => [`${folder}/**/*.ts`, `!${folder}/**/*.test.ts`];

export const AREAS: readonly Area[] = [
  { name: 'rules', mutate: sources('rules'), tests: ['rules/**/*.test.ts'] },
  {
    name: 'operations',
    mutate: sources('server/operations'),
    tests: ['server/operations/**/*.test.ts', 'tests/operations/**/*.test.ts'],
  },
  {
    name: 'functions',
    mutate: sources('server/functions'),
    tests: ['server/functions/**/*.test.ts', 'tests/functions/**/*.test.ts'],
  },
  {
    name: 'auth',
    mutate: [...sources('server/auth'), '!server/auth/accounts/common-passwords.ts'],
    tests: ['server/auth/**/*.test.ts', 'tests/auth/**/*.test.ts'],
  },
];
