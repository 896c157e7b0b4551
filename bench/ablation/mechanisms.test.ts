import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MECHANISMS, occurrences } from './mechanisms.ts';

test.each(MECHANISMS)('“$name” can be taken out of its file', (mechanism) => {
  expect(occurrences(readFileSync(mechanism.file, 'utf8'), mechanism)).toBe(1);
  expect(mechanism.replace).not.toBe(mechanism.find);
});
