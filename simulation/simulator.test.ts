import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULTS } from './faults/all-faults.ts';
import { PROMISES } from './promises.ts';
import { createRandom } from './runtime/random.ts';

const ROOT = join(import.meta.dirname, '..');
const DAYS = process.env['TEST_LONG'] ? 30 : 3;

function simulate(seed: number): { status: number | null; output: string; last: string } {
  const args = [join(import.meta.dirname, 'main.ts'), '--seed', String(seed), '--days', String(DAYS)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, output: stdout + stderr, last: stdout.trimEnd().split('\n').at(-1) ?? '' };
}

describe('the simulator', () => {
  it(
    'gives the same trace for the same seed, another one for another seed, and no violation',
    { timeout: 900_000 },
    () => {
      const [first, again, other] = [simulate(1), simulate(1), simulate(2)];
      expect(first.status, first.output).toBe(0);
      expect(other.status, other.output).toBe(0);
      expect(first.last).toMatch(/^seed 1: \d+ days, trace [0-9a-f]{16}, 0 violations$/);
      expect(again.last).toBe(first.last);
      expect(other.last.split('trace ')[1]).not.toBe(first.last.split('trace ')[1]);
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
