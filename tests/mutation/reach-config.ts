import { defineConfig, mergeConfig } from 'vitest/config';
import config, { parts } from '../../vitest.config.ts';

/** Runs the tests of `npm test` on the embedded engine with `reach-setup.ts`. */
export default mergeConfig(
  { ...config, test: { ...config.test, projects: [] } },
  defineConfig({
    test: {
      projects: parts
        .filter(({ test }) => test?.name !== 'components' && test?.name !== 'PostgreSQL')
        .map((one) => ({ ...one, extends: true, test: { ...one.test, setupFiles: ['tests/mutation/reach-setup.ts'] } })),
    },
  }),
);
