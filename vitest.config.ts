import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules/**', 'dist/**', 'data/**', 'artefacts/**'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // How long a poll may wait for what comes by itself: a busy machine is late, never wrong.
    expect: { poll: { timeout: 10_000 } },
    fileParallelism: true,
    maxWorkers: 2,
  },
});
