import { defineConfig } from 'vitest/config';

const exclude = ['node_modules/**', 'dist/**', 'data/**', 'artefacts/**'];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // How long a poll may wait for what comes by itself: a busy machine is late, never wrong.
    expect: { poll: { timeout: 10_000 } },
    fileParallelism: true,
    maxWorkers: 2,
    projects: [
      // Files of rows share their processes: an engine that has just run opens its next database in half the time.
      { extends: true, test: { name: 'rows', include: ['tests/sql/**/*.test.ts'], exclude, isolate: false } },
      {
        extends: true,
        test: { name: 'all', include: ['**/*.test.ts'], exclude: [...exclude, 'tests/sql/**'], isolate: false },
      },
    ],
  },
});
