import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { keepEarlierAssets } from './earlier-assets.ts';

const root = mkdtempSync(join(tmpdir(), 'assets-'));
const [assets, earlier] = [join(root, 'web', 'assets'), join(root, 'earlier')];
const day = (number: number): Date => new Date(Date.UTC(2026, 0, number));
afterAll(() => rmSync(root, { recursive: true }));

test('files of a replaced build are kept for seven days after it was replaced, then deleted', () => {
  keepEarlierAssets(assets, earlier, day(1)); // the first build replaces nothing
  expect(readdirSync(earlier)).toEqual([]);

  mkdirSync(assets, { recursive: true });
  writeFileSync(join(assets, 'a-1.js'), 'one');
  keepEarlierAssets(assets, earlier, day(2));
  rmSync(join(assets, 'a-1.js'));
  writeFileSync(join(assets, 'a-2.js'), 'two');
  keepEarlierAssets(assets, earlier, day(9));
  expect(readdirSync(earlier)).toEqual(['a-1.js', 'a-2.js']);
  expect(readFileSync(join(earlier, 'a-1.js'), 'utf8')).toBe('one');
  // A rebuild without changes keeps the files that it still has for another seven days, and no others.
  keepEarlierAssets(assets, earlier, day(10));
  expect(readdirSync(earlier)).toEqual(['a-2.js']);
});
