import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { isLong, LongestFirst } from './tests/longest-first.ts';

const exclude = ['node_modules/**', 'dist/**', 'data/**', 'artefacts/**'];

const files = globSync('{rules,contracts,web,server,sandbox,simulation,bench,build,tools,tests}/**/*.test.ts').map(
  (path) => ({
    path,
    text: readFileSync(path, 'utf8'),
  }),
);
/** Returns the files with such a text: what a file imports decides where it runs. */
const filesWith = (...patterns: readonly RegExp[]): string[] =>
  files.filter(({ text }) => patterns.every((pattern) => pattern.test(text))).map(({ path }) => path);
/** These replace modules, which other files in the same process would get too. */
const mocked = filesWith(/\bvi\.mock\(|'\.\/test-app\.ts'/);
/** Their tests are repeated for engines, or run on the one that TEST_ENGINE names. */
const onEngines = filesWith(/\b(?:engines|oneEngine|pooledEngine)\b.*\} from|\/auth-test-server\.ts'/).filter((path) =>
  path.startsWith('tests/'),
);
const startProcesses = filesWith(
  /#tests\/support\/(server-process|program|measured-server)\.ts'|(support\/limit-worker|\.\/cluster)\.ts'/,
);
const long = [...startProcesses, ...files.map(({ path }) => path).filter(isLong)].filter(
  (path) => !onEngines.includes(path) || startProcesses.includes(path),
);

type Part = NonNullable<TestProjectInlineConfiguration['test']>;
/**
 * Components of the pages, in a DOM without a browser. Most replace what calls the server, so each file has its own modules, in its own
 * context: a separate process takes twice as long.
 */
const components: Part = {
  include: ['web/**/*.test.tsx'],
  environment: 'happy-dom',
  setupFiles: ['web/ui/component-tests.ts'],
  pool: 'vmThreads',
};

/** For tests/mutation/reach.ts, which asks what each file calls. */
const reach: Part = process.env['TEST_REACH'] ? { setupFiles: ['tests/mutation/reach-setup.ts'] } : {};

/** A group begins when the one before it has ended. */
const part = (name: string, order: number, options: Part): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, isolate: false, sequence: { groupOrder: order }, ...reach, ...options },
});

/**
 * The parts of `npm test`. Their files share processes: loading the server takes longer than most files, and an engine that has run before
 * opens in half the time. Files of tests/ that are about both engines run once for each.
 */
const parts: TestProjectInlineConfiguration[] = [
  part('units', 0, {
    include: ['{rules,contracts,web,server,sandbox,simulation,bench,build,tools}/**/*.test.ts', 'tests/*.test.ts'],
    exclude: [...long, ...mocked],
  }),
  part('embedded', 0, {
    include: ['tests/api/**/*.test.ts'],
    exclude: [...long, ...mocked],
    env: { TEST_ENGINE: 'embedded' },
  }),
  part('long', 1, { include: long }),
  part('mocked', 1, { include: mocked, isolate: true }),
  part('components', 1, components),
  part('others', 1, {
    include: ['tests/*/**/*.test.ts'],
    exclude: ['tests/api/**', ...long, ...mocked],
    env: { TEST_ENGINE: 'embedded' },
  }),
  part('PostgreSQL', 1, {
    include: process.env['TEST_POSTGRES_URL'] ? onEngines : [],
    exclude: long,
    env: { TEST_ENGINE: 'PostgreSQL' },
  }),
];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // How long a poll waits for an expected change. A busy machine may be slow.
    expect: { poll: { timeout: 10_000 } },
    fileParallelism: true,
    // Processes that start, providers that hang and clocks that run out leave a processor free a third of the time.
    maxWorkers: process.env['TEST_PARTS'] ? availableParallelism() + 2 : 2,
    sequence: { sequencer: LongestFirst },
    projects: process.env['TEST_PARTS']
      ? parts
      : [
          { extends: true, test: { name: 'rows', include: ['tests/sql/**/*.test.ts'], exclude, isolate: false } },
          { extends: true, test: { name: 'all', include: ['**/*.test.ts'], exclude: [...exclude, 'tests/sql/**'] } },
          { extends: true, test: { name: 'components', ...components } },
        ],
  },
});
