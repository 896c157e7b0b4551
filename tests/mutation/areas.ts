/**
 * One part of the code whose tests are measured: what is changed, and which tests should notice. Paths are globs from the root; of the tests the
 * fastest come first, and run first.
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
    // Without tests/api, whose servers take minutes to start: what survives may still be noticed there.
    tests: ['server/auth/{accounts,external,import}/*.test.ts', 'tests/auth/**/*.test.ts'],
  },
];
