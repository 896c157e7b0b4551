import { describe, expect, test } from 'vitest';
import { deriveKey } from './derive-key.ts';
import { createEncryption } from './encryption.ts';
import { createFingerprint } from './fingerprint.ts';

const SECRET = Buffer.alloc(32, 1);
const OTHER = Buffer.alloc(32, 2);

describe('an encrypted text', () => {
  const encryption = createEncryption(SECRET);

  test('is decrypted only with its key and for its row, does not contain the text, and differs each time', () => {
    const encrypted = encryption.encrypt('123456', 'row-1');
    expect(encryption.decrypt(encrypted, 'row-1')).toBe('123456');
    expect(encrypted).not.toContain('123456');
    expect(encryption.encrypt('123456', 'row-1')).not.toBe(encrypted);
    expect(() => encryption.decrypt(encrypted, 'row-2')).toThrow();
    expect(() => createEncryption(OTHER).decrypt(encrypted, 'row-1')).toThrow();
    expect(() => encryption.decrypt(`${encrypted.slice(0, -4)}AAAA`, 'row-1')).toThrow();
  });

  test('stays readable in later versions, with the key derived from the same secret and purpose', () => {
    const stored = 'X3gsW1x5f7ZHIIvxmONQJuPuR7ZYKJc-9BxK0BfWGk7hqg';
    const earlier = createEncryption(deriveKey(SECRET, 'door-code-seal'));
    expect(earlier.decrypt(stored, 'row-1')).toBe('123456');
  });
});

describe('a fingerprint', () => {
  const fingerprint = createFingerprint(SECRET);

  test('is the same for the same text, and another one for another text or key', () => {
    expect(fingerprint('123456')).toBe(fingerprint('123456'));
    expect(fingerprint('123456')).not.toBe(fingerprint('123457'));
    expect(createFingerprint(OTHER)('123456')).not.toBe(fingerprint('123456'));
  });

  test('stays the same in later versions', () => {
    const earlier = createFingerprint(deriveKey(SECRET, 'door-code-print'));
    expect(earlier('123456')).toBe('O5yCmlxf8l2alUXX0a5K5_vnLCw-ti_SZuiG7KidmEM');
  });
});
