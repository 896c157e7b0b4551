import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

test('the page of primitives shows every part of web/ui', () => {
  const shown = read('web/pages/developer/primitives.tsx') + read('web/pages/developer/frame.tsx');
  const missing = readdirSync(new URL('../web/ui', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx') && !file.endsWith('.test.tsx'))
    .filter((file) => !shown.includes(`'#web/ui/${file}'`));
  expect(missing).toEqual([]);
});
