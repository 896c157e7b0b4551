import { expect, it } from 'vitest';
import { ownPath } from './paths.ts';

it('a path of our own is kept with its query', () => {
  for (const path of ['/', '/profile', '/regenerate-pin?booking_id=a-b&token=x.y', '/#about'])
    expect(ownPath(path)).toBe(path);
});

it('nothing leads to another site, however it is written', () => {
  const elsewhere = [
    null,
    '',
    'profile',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    ' //evil.example',
    'javascript:alert(1)',
    '/%0d%0a//evil.example\n',
    '/@evil.example',
  ];
  for (const text of elsewhere) expect(ownPath(text), String(text)).toBeNull();
});
