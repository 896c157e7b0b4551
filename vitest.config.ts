import { globSync, readFileSync } from 'node:fs';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongestFirst } from './tests/support/longest-first.ts';

const exclude = ['node_modules/**', 'dist/**', 'data/**', 'artefacts/**'];

const across = globSync('tests/*/**/*.test.ts').map((path) => ({ path, text: readFileSync(path, 'utf8') }));
/** Returns the files of `tests/` with such a text: what a file imports decides where it runs. */
const filesWith = (...patterns: readonly RegExp[]): string[] =>
  across.filter(({ text }) => patterns.every((pattern) => pattern.test(text))).map(({ path }) => path);
const processes = filesWith(
  /#tests\/support\/(server-process|program|measured-server)\.ts'|support\/limit-worker\.ts'/,
);
const mocked = filesWith(/\bvi\.mock\(|'\.\/test-app\.ts'/);
const onEngines = filesWith(/\.each\(engines\)/, /\/(engines|auth-test-server)\.ts'/);

type Part = NonNullable<TestProjectInlineConfiguration['test']>;
/** Components of the pages, in a DOM without a browser. Most replace what calls the server, so each file has its own modules. */
const components: Part = {
  include: ['web/**/*.test.tsx'],
  environment: 'happy-dom',
  setupFiles: ['tests/support/components.ts'],
  isolate: true,
};

/** A group begins when the one before it has ended. */
const part = (name: string, order: number, options: Part): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, isolate: false, sequence: { groupOrder: order }, ...options },
});

/**
 * The parts of `npm test`. Their files share processes: loading the server takes longer than most files, and an engine that has run before
 * opens in half the time. Only files that replace modules have processes of their own.
 */
const parts: TestProjectInlineConfiguration[] = [
  part('units', 0, { include: ['{rules,web,server,sandbox,bench,build,tools}/**/*.test.ts', 'tests/*.test.ts'] }),
  part('mocked', 0, { include: mocked, isolate: true }),
  part('components', 0, components),
  part('embedded', 1, {
    include: ['tests/*/**/*.test.ts'],
    exclude: [...processes, ...mocked],
    env: { TEST_ENGINE: 'embedded' },
  }),
  part('processes', 2, { include: processes }),
  part('PostgreSQL', 2, {
    include: process.env['TEST_POSTGRES_URL'] ? onEngines : [],
    exclude: processes,
    env: { TEST_ENGINE: 'PostgreSQL' },
  }),
];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // How long a poll may wait for what comes by itself: a busy machine is late, never wrong.
    expect: { poll: { timeout: 10_000 } },
    fileParallelism: true,
    maxWorkers: 2,
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
