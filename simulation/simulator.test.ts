import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { FAULTS } from './faults/all-faults.ts';
import { PROMISES } from './promises.ts';
import { createRandom } from './runtime/random.ts';

const ROOT = join(import.meta.dirname, '..');
const OUTPUT_MAX = 100_000_000;
const DAYS = process.env['TEST_LONG'] ? 30 : 2;

/** Runs the command and returns its last line. Throws with its output if it found a violation. */
async function simulate(seed: number): Promise<string> {
  const args = [join(import.meta.dirname, 'main.ts'), '--seed', String(seed), '--days', String(DAYS)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: OUTPUT_MAX });
  return stdout.trimEnd().split('\n').at(-1) ?? '';
}

describe('the simulator', () => {
  it(
    'gives the same trace for the same seed, another one for another seed, and no violation',
    { timeout: 900_000 },
    async () => {
      const first = await simulate(1);
      expect(first).toMatch(/^seed 1: \d+ days, trace [0-9a-f]{16}, 0 violations$/);
      expect(await simulate(1)).toBe(first);
      expect((await simulate(2)).split('trace ')[1]).not.toBe(first.split('trace ')[1]);
    },
  );

  it('names each promise as checked or not', () => {
    const names = Array.from({ length: 56 }, (_, at) => `G${at + 1}`);
    expect(Object.keys(PROMISES)).toEqual(names);
  });

  it('has faults that can be put in: each text occurs once', () => {
    const wrong = FAULTS.filter(({ file, find }) => readFileSync(join(ROOT, file), 'utf8').split(find).length !== 2);
    expect(wrong.map(({ name }) => name)).toEqual([]);
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  });

  it('draws from separate streams of random numbers', () => {
    const draw = (seed: number, stream: string): number[] => {
      const random = createRandom(seed, stream);
      return Array.from({ length: 4 }, random.bits);
    };
    expect(draw(1, 'people')).toEqual(draw(1, 'people'));
    expect(draw(1, 'people')).not.toEqual(draw(1, 'network'));
    expect(draw(1, 'people')).not.toEqual(draw(2, 'people'));
  });
});
