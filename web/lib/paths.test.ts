import { expect, it } from 'vitest';
import { ownPath } from './paths.ts';

it('an own path keeps its query', () => {
  for (const path of ['/', '/profile', '/regenerate-pin?booking_id=a-b&token=x.y', '/#about'])
    expect(ownPath(path)).toBe(path);
});

it('no spelling leads to another site [spec 4.14]', () => {
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
