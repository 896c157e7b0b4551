import { expect, test } from 'vitest';
import { readSourceFiles } from './support/source-files.ts';

/** Files that may use the database's clock, because they compare with times that the database writes. */
const BY_DATABASE = ['server/operations/wallet/pass-phones.ts'];

const own = readSourceFiles().filter(
  ({ path }) => /^server\/(operations|functions)\//.test(path) && !path.endsWith('.test.ts'),
);

test('statements of operations and functions get the present instant as a parameter, so that tests can move the clock', () => {
  expect(own.length).toBeGreaterThan(100);
  const clocks = /(?<![.\w])(now|clock_timestamp|statement_timestamp|transaction_timestamp)\(\)|\bcurrent_timestamp\b/;
  expect(own.filter(({ text }) => clocks.test(text)).map(({ path }) => path)).toEqual(BY_DATABASE);
});
