import { expect, test } from 'vitest';
import { writeCsv } from './csv.ts';

test('cells with commas, quotes and line breaks are quoted; money has two decimals and times the offset of Sydney', () => {
  const at = [new Date('2026-01-05T08:04:09Z'), new Date('2026-07-05T08:04:09Z')];
  expect(
    writeCsv([
      ['a', 'b,c', 'say "hi"', 'two\nlines', null, 1.5],
      [{ cents: 5 }, { cents: -123_450 }, ...at],
    ]),
  ).toBe(
    'a,"b,c","say ""hi""","two\nlines",,1.5\r\n0.05,-1234.50,2026-01-05T19:04:09+11:00,2026-07-05T18:04:09+10:00\r\n',
  );
});

test.each(['=1+1', '+61400000000', '-2', '@SUM(A1)', '\t=1', '\r=1', '＝1'])(
  'text that begins like the formula %j is not run by a spreadsheet',
  (text) => {
    expect(writeCsv([[text]])).toBe(`"'${text}"\r\n`);
  },
);
