import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  codeHash,
  codeHashes,
  deriveCode,
  linkTokenHash,
  linkTokenHashes,
  deriveLinkToken,
} from '#server/auth/codes/one-time-codes.ts';
import type { AuthContext } from '#server/auth/core/context.ts';
import { flowSecrets } from '#server/auth/external/flows.ts';
import { factorCode, factorCodeHash } from '#server/auth/factors/factor-codes.ts';
import { readRefreshToken, writeRefreshToken } from '#server/auth/sessions/refresh-tokens.ts';
import { onlyGiven } from '#tests/support/providers/services.ts';

/**
 * Codes, links and tokens are derived from a key and a purpose. Those that people hold when a server is upgraded must still work
 * afterwards, so the purposes must never change.
 */
const hmac = (purpose: string, text: string): Buffer => createHash('sha256').update(`${purpose}|${text}`).digest();
const keys = onlyGiven<AuthContext['keys']>({ hmac, hmacs: (purpose, text) => [hmac(purpose, text)] });
const context = onlyGiven<AuthContext>({ keys, config: onlyGiven<AuthContext['config']>({ codeLength: 6 }) });
const hashed = (purpose: string, text: string): string => hmac(purpose, text).toString('base64url');
const digits = (purpose: string, text: string): string =>
  String(hmac(purpose, text).readUIntBE(0, 6) % 1_000_000).padStart(6, '0');

test('codes and links of messages', () => {
  for (let n = 0; n < 30; n += 1) expect(deriveCode(context, `id ${n}`)).toBe(digits('mail-code', `id ${n}`));
  expect(deriveLinkToken(context, 'id')).toBe(hashed('mail-token', 'id'));
  expect(codeHash(context, 'user', '123456')).toBe(hashed('code-hash', 'user:123456'));
  expect(codeHashes(context, 'user', '123456')).toEqual([hashed('code-hash', 'user:123456')]);
  expect(linkTokenHash(context, 'token')).toBe(hashed('token-hash', 'token'));
  expect(linkTokenHashes(context, 'token')).toEqual([hashed('token-hash', 'token')]);
});

test('codes of second factors', () => {
  for (let n = 0; n < 30; n += 1) expect(factorCode(context, `id ${n}`)).toBe(digits('factor-message', `id ${n}`));
  expect(factorCodeHash(context, 'id', '123456')).toBe(hashed('factor-code', 'id:123456'));
});

test('secrets of sign-ins at providers', () => {
  expect(flowSecrets(context, 'id')).toEqual({
    nonce: hashed('flow-nonce', 'id'),
    verifier: hashed('flow-verifier', 'id'),
  });
});

test('refresh tokens: the id of the session, a number, and half a keyed hash of both', () => {
  const token = { sessionId: '00112233-4455-6677-8899-aabbccddeeff', generation: 258 };
  const bytes = Buffer.concat([
    Buffer.from('00112233445566778899aabbccddeeff00000102', 'hex'),
    hmac('refresh-token', `${token.sessionId}:258`).subarray(0, 16),
  ]);
  expect(writeRefreshToken(keys, token)).toBe(bytes.toString('base64url'));
  expect(readRefreshToken(keys, bytes.toString('base64url'))).toEqual(token);
  for (const wrong of [bytes.subarray(0, 35), Buffer.concat([bytes, Buffer.alloc(1)]), bytes.fill(1, 35)])
    expect(readRefreshToken(keys, wrong.toString('base64url'))).toBeNull();
});
