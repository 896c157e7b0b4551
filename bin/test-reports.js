// Reports at the end of a test run's output, kept brief because often only the last lines of a log are kept.
import { stripVTControlCharacters } from 'node:util';

const LINES_PER_FAILURE = 14;
const CHARACTERS_PER_LINE = 200;
const LONGEST = 30;

/** Returns the tests that failed and the files that could not be loaded, from a JSON report of Vitest: `{ title, message }[]`. */
export function failuresInNode(report) {
  return report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && assertionResults.length === 0) return [{ title: name, message }];
    return failed.map((test) => ({
      title: `${name} › ${test.fullName}`,
      message: test.failureMessages.join('\n'),
    }));
  });
}

/** Returns the journeys that failed, from a JSON report of Playwright: `{ title, message }[]`. */
export function failuresInBrowser(report) {
  const ofSuite = (suite) => [
    ...(suite.suites ?? []).flatMap(ofSuite),
    ...suite.specs.flatMap(({ file, title, tests }) =>
      tests
        .filter(({ status }) => status === 'unexpected')
        .map(({ projectName, results }) => ({
          title: `[${projectName}] ${file} › ${title}`,
          message: results.flatMap(({ errors }) => errors.map((error) => error.message)).join('\n'),
        })),
    ),
  ];
  return report.suites.flatMap(ofSuite);
}

/** Returns the text of failures: each title with the first lines of its message, without colours. */
export function describeFailures(failures) {
  return failures
    .map(({ title, message }) => {
      const lines = stripVTControlCharacters(message ?? '')
        .split('\n')
        .filter((line) => line.trim() !== '')
        .slice(0, LINES_PER_FAILURE)
        .map((line) => `    ${line.slice(0, CHARACTERS_PER_LINE)}\n`);
      return `FAILED ${title}\n${lines.join('')}`;
    })
    .join('');
}

/**
 * Returns the files of a JSON report of Vitest or Playwright that took longest, one per line with its seconds, or '' if none took a second.
 */
export function longestFiles(report) {
  return [...secondsOfFiles(report)]
    .filter(([, taken]) => taken >= 1)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, LONGEST)
    .map(([path, taken]) => `${taken.toFixed(0).padStart(9)} s  ${path}\n`)
    .join('');
}

/** Returns the seconds of each file. A file that runs on both engines, or at two widths, counts once with the sum. */
function secondsOfFiles(report) {
  const files = new Map();
  const add = (path, ms) => files.set(path, (files.get(path) ?? 0) + ms / 1_000);
  for (const { name, startTime, endTime } of report.testResults ?? []) add(name, endTime - startTime);
  const ofSuite = ({ suites, specs }) => {
    for (const { file, tests } of specs)
      for (const { results } of tests) for (const { duration } of results) add(file, duration);
    for (const suite of suites ?? []) ofSuite(suite);
  };
  for (const suite of report.suites ?? []) ofSuite(suite);
  return files;
}
