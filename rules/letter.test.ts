import { expect, test } from 'vitest';
import { letterSchema, parseParagraphs } from './letter.ts';

const plain = (text: string) => ({ text, href: null });

test('blank lines end paragraphs, single ones a line', () => {
  expect(parseParagraphs('One\ntwo\n \n\nThree\n')).toEqual([[[plain('One')], [plain('two')]], [[plain('Three')]]]);
  expect(parseParagraphs(' \n\n ')).toEqual([]);
});

test('addresses and labelled addresses are links; the end of a sentence and other schemes are not', () => {
  expect(
    parseParagraphs('See https://example.com/a?b=1. Or [book now](https://example.com/booking), or javascript:x'),
  ).toEqual([
    [
      [
        plain('See '),
        { text: 'https://example.com/a?b=1', href: 'https://example.com/a?b=1' },
        plain('. Or '),
        { text: 'book now', href: 'https://example.com/booking' },
        plain(', or javascript:x'),
      ],
    ],
  ]);
  expect(parseParagraphs('[x](javascript:alert(1))')).toEqual([[[plain('[x](javascript:alert(1))')]]]);
});

test('a subject is one line of at most 150 characters', () => {
  const getMessage = (subject: string) => letterSchema.safeParse({ subject, body: 'x' }).error?.issues[0]?.message;
  expect([getMessage(' '), getMessage('a\nb'), getMessage('x'.repeat(151)), getMessage('x'.repeat(150))]).toEqual([
    'Write a subject',
    'The subject is one line',
    'The subject is too long',
    undefined,
  ]);
  expect(letterSchema.parse({ subject: ' a ', body: ' b\r\nc ' })).toEqual({ subject: 'a', body: 'b\nc' });
});
