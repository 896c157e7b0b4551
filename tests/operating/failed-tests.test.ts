import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const FAILURES = new URL('../../bin/failures.js', import.meta.url).pathname;

/** Describes the failures of a report of Vitest and one of Playwright, in a process of its own: bin/ is plain JavaScript. */
function describe(node: unknown, browser: unknown): string {
  const program = `
    import { describeFailures, failuresInBrowser, failuresInNode } from ${JSON.stringify(FAILURES)};
    const [node, browser] = JSON.parse(process.argv[1]);
    process.stdout.write(describeFailures([...failuresInNode(node), ...failuresInBrowser(browser)]));`;
  const args = ['--input-type=module', '-e', program, JSON.stringify([node, browser])];
  return execFileSync(process.execPath, args, { encoding: 'utf8' });
}

test('the end of a test run names failed tests, files that could not be loaded and failed journeys, with the first lines of their messages', () => {
  const passed = { status: 'passed', fullName: 'adds', failureMessages: [] };
  const failed = {
    status: 'failed',
    fullName: 'subtracts',
    failureMessages: ['\u001B[31mexpected 1 to be 2\u001B[39m\n\n  at sum.ts'],
  };
  const node = {
    testResults: [
      { name: 'sum.test.ts', status: 'failed', message: '', assertionResults: [passed, failed] },
      { name: 'load.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
    ],
  };
  const journey = (title: string, status: string) => ({
    file: 'pay.e2e.ts',
    title,
    tests: [{ status, projectName: 'phone', results: [{ errors: [{ message: 'not visible' }] }] }],
  });
  const browser = {
    suites: [{ specs: [], suites: [{ specs: [journey('pays', 'expected'), journey('refunds', 'unexpected')] }] }],
  };
  expect(describe(node, browser)).toBe(
    [
      'FAILED sum.test.ts › subtracts',
      '    expected 1 to be 2',
      '      at sum.ts',
      'FAILED load.test.ts',
      '    no such module',
      'FAILED [phone] pay.e2e.ts › refunds',
      '    not visible',
      '',
    ].join('\n'),
  );
});
