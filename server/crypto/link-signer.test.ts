import { describe, expect, test } from 'vitest';
import { deriveKey } from './derive-key.ts';
import { createLinkSigner } from './link-signer.ts';

describe('a signed link', () => {
  const signer = createLinkSigner(Buffer.alloc(32, 1));
  const end = new Date('2031-03-01T10:00:00Z');
  const before = new Date(end.getTime() - 1);
  const token = signer.sign('some-page', 'subject-1', end);

  test('names its subject until the moment it ends', () => {
    expect(token.split('.').slice(0, 2)).toEqual(['subject-1', String(end.getTime() / 1000)]);
    expect(signer.read('some-page', token, before)).toBe('subject-1');
    expect(signer.read('some-page', token, end)).toBeNull();
  });

  test('is refused for another purpose, subject, end or key, and when its signature is cut, longer or changed in one place', () => {
    const [subject, seconds, signature = ''] = token.split('.');
    const forged = [
      `subject-2.${seconds}.${signature}`,
      `${subject}.${Number(seconds) + 1}.${signature}`,
      `${subject}.${seconds}.${signature.slice(0, -1)}`,
      `${subject}.${seconds}.${signature}A`,
      `${subject}.${seconds}.`,
      `${subject}.${seconds}`,
      `${subject}.${seconds}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
      `${subject}.${seconds}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      `${subject}.${seconds}0000000000.${signature}`,
      `${subject}.x.${signature}`,
      '',
    ];
    for (const forgedToken of forged) expect(signer.read('some-page', forgedToken, before), forgedToken).toBeNull();
    expect(signer.read('other-page', token, before)).toBeNull();
    expect(createLinkSigner(Buffer.alloc(32, 2)).read('some-page', token, before)).toBeNull();
  });

  test('stays valid in later versions, with the key derived from the same secret and purpose', () => {
    const mailed = 'subject-1.1930125600.Gxi2-Rd7QZjnzJ1bpTmtsxb4XpyuKFfLgFw8q8UptpM';
    const earlier = createLinkSigner(deriveKey(Buffer.alloc(32, 1), 'mail-link'));
    expect(earlier.read('some-page', mailed, before)).toBe('subject-1');
  });
});
