import { defineConfig } from 'vitest/config';
import { AREAS } from './areas.ts';

const area = AREAS.find(({ name }) => name === process.env['MUTATION_AREA']);
if (!area) throw new Error('MUTATION_AREA names no area');

export default defineConfig({
  test: { include: [...area.tests], testTimeout: 30_000, hookTimeout: 60_000, expect: { poll: { timeout: 5_000 } } },
});
