import { expect, it } from 'vitest';
import { isAbn, settingsChangeSchema } from './settings-change.ts';

const getMessage = (change: unknown): string | undefined =>
  settingsChangeSchema.safeParse(change).error?.issues[0]?.message;

it('a change names some settings, and texts are trimmed', () => {
  expect(settingsChangeSchema.parse({ name: ' Harbour ', abn: '51 824 753 556', instagram: 'harbour' })).toEqual({
    name: 'Harbour',
    abn: '51824753556',
    instagram: '@harbour',
  });
  expect(settingsChangeSchema.parse({ directions: ' One\r\nTwo ' })).toEqual({ directions: 'One\nTwo' });
});

it.each([
  [{}, 'Name at least one setting.'],
  [{ name: 'x' }, 'This is needed.'],
  [{ name: 'two\nlines' }, 'Use one line.'],
  [{ notice: 'x'.repeat(301) }, 'Use at most 300 characters.'],
  [{ abn: '51824753557' }, 'This is not an ABN.'],
  [{ email: 'nobody' }, 'Enter an email address.'],
  [{ phone: 'call me' }, 'Enter a phone number.'],
  [{ instagram: '@a b' }, 'Enter the name of the account.'],
  [{ holdMinutes: 31 }, 'At most 30.'],
  [{ holdMinutes: 7.5 }, 'Enter a whole number.'],
  [{ freeCancelHours: -1 }, 'At least 0.'],
  [{ terms: [] }, 'The page needs at least one part.'],
  [{ terms: [{ title: '', text: 'x' }] }, 'Every part needs a title.'],
])('%j is refused: %s', (change, message) => {
  expect(getMessage(change)).toBe(message);
});

it('an unknown setting is refused, and so is the version of the terms, which follows their text', () => {
  expect(settingsChangeSchema.safeParse({ colour: 'red' }).success).toBe(false);
  expect(settingsChangeSchema.safeParse({ termsVersion: '9' }).success).toBe(false);
});

it.each(['51824753556', '53004085616', '33102417032'])('%s is an ABN, and with another last digit it is not', (abn) => {
  expect(isAbn(abn)).toBe(true);
  expect(isAbn(`${abn.slice(0, 10)}${(Number(abn[10]) + 1) % 10}`)).toBe(false);
});
