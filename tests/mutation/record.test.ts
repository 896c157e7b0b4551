import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RECORDS, type Records, withSample } from './record.ts';

const before: Records = {
  'rules, seed 1': {
    date: '2031-05-01',
    score: '2 of 4',
    survivors: [
      { place: 'rules/a.ts:10', fault: '>= → >', note: 'Changes nothing.' },
      { place: 'rules/a.ts:12', fault: '>= → >=', note: 'Noticed since.' },
    ],
  },
};

test('a new measurement replaces that of its area and seed, and a fault that survives again keeps its note', () => {
  const sample = {
    date: '2031-05-02',
    score: '2 of 4',
    survivors: [
      { place: 'rules/a.ts:14', fault: '>= → >' },
      { place: 'rules/b.ts:1', fault: '>= → >=' },
    ],
  };
  const after = withSample(before, 'rules, seed 1', sample);
  expect(after['rules, seed 1']?.date).toBe('2031-05-02');
  expect(after['rules, seed 1']?.survivors).toEqual([
    { place: 'rules/a.ts:14', fault: '>= → >', note: 'Changes nothing.' },
    { place: 'rules/b.ts:1', fault: '>= → >=' },
  ]);
  expect(Object.keys(withSample(before, 'auth, seed 2', sample))).toEqual(['auth, seed 2', 'rules, seed 1']);
});

test('the recorded survivors are in files that exist, and each score counts them', () => {
  const records: Records = JSON.parse(readFileSync(RECORDS, 'utf8'));
  const samples = Object.entries(records);
  expect(samples.length).toBeGreaterThan(4);
  for (const [name, { score, survivors }] of samples) {
    const [, noticed, tested] = /: (\d+) of (\d+) mutants noticed/.exec(score) ?? [];
    expect(score.startsWith(name)).toBe(true);
    expect(Number(tested) - Number(noticed), name).toBe(survivors.length);
  }
  // Survivors of SQL are named after their function.
  const typescript = samples.filter(([name]) => !name.startsWith('sql'));
  const paths = typescript.flatMap(([, { survivors }]) => survivors.map(({ place }) => place.split(':')[0] ?? ''));
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});
