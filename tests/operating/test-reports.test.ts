import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const REPORTS = new URL('../../bin/test-reports.js', import.meta.url).pathname;

/**
 * Evaluates `expression` for a report of Vitest and one of Playwright and returns the output. It runs in a separate process, because bin/
 * is plain JavaScript.
 */
function print(expression: string, node: unknown, browser: unknown): string {
  const program = `
    import { describeFailures, failuresInBrowser, failuresInNode, longestFiles } from ${JSON.stringify(REPORTS)};
    const [node, browser] = JSON.parse(process.argv[1]);
    process.stdout.write(${expression});`;
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
  expect(print('describeFailures([...failuresInNode(node), ...failuresInBrowser(browser)])', node, browser)).toBe(
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

test('the end of a test run names the files that took longest, with the seconds of all their tests', () => {
  const node = {
    testResults: [
      { name: 'quick.test.ts', startTime: 0, endTime: 999 },
      { name: 'twice.test.ts', startTime: 0, endTime: 1_000 },
      { name: 'once.test.ts', startTime: 5_000, endTime: 8_000 },
      { name: 'twice.test.ts', startTime: 9_000, endTime: 12_600 },
    ],
  };
  const tests = [{ results: [{ duration: 700 }] }, { results: [{ duration: 800 }] }];
  const browser = { suites: [{ specs: [], suites: [{ specs: [{ file: 'pay.e2e.ts', tests }] }] }] };
  expect(print('longestFiles(node) + longestFiles(browser)', node, browser)).toBe(
    ['        5 s  twice.test.ts', '        3 s  once.test.ts', '        2 s  pay.e2e.ts', ''].join('\n'),
  );
});
