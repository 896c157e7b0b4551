import { describe, expect, test } from 'vitest';
import { type Chain, readWalletMessage } from './wallet-message.ts';

const ADDRESSES: Readonly<Record<Chain, string>> = {
  ethereum: '0xABCDEFabcdef0123456789abcdef0123456789AB',
  solana: '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijk',
};
const NAMES: Readonly<Record<Chain, string>> = { ethereum: 'Ethereum', solana: 'Solana' };
const FIELDS = {
  URI: 'https://site.example/auth?x=1',
  Version: '1',
  'Issued At': '2026-11-29T01:02:03.004Z',
};
type Parts = {
  readonly chain?: Chain;
  readonly domain?: string;
  readonly header?: string;
  readonly address?: string;
  readonly lead?: readonly string[];
  readonly fields?: Readonly<Record<string, string | undefined>>;
  readonly more?: readonly string[];
};

/** Reads a message that is valid except for the given parts. */
function read(parts: Parts = {}): ReturnType<typeof readWalletMessage> {
  const { chain = 'ethereum', domain = 'site.example', address = ADDRESSES[chain], lead = [''] } = parts;
  const { header = ` wants you to sign in with your ${NAMES[chain]} account:`, more = [] } = parts;
  const fields = Object.entries({ ...FIELDS, ...parts.fields }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return readWalletMessage([`${domain}${header}`, address, ...lead, ...fields, ...more].join('\n'), chain);
}

describe('a message of a wallet', () => {
  test('has the least that it needs', () => {
    expect(read()).toEqual({
      domain: 'site.example',
      address: '0xabcdefabcdef0123456789abcdef0123456789ab',
      statement: null,
      uri: new URL('https://site.example/auth?x=1'),
      network: null,
      issuedAt: new Date('2026-11-29T01:02:03.004Z'),
      expiresAt: null,
      notBefore: null,
    });
  });

  test('has everything that it may have', () => {
    const read2 = read({
      chain: 'solana',
      domain: 'https://Site.example:8443',
      lead: ['', 'I accept the terms', ''],
      fields: {
        'Chain ID': 'mainnet',
        Nonce: 'abcd1234',
        'Expiration Time': '2026-11-29T12:02:03+10:00',
        'Not Before': '2026-11-29T01:02:04.123456789Z',
        'Request ID': 'x: y',
      },
      more: ['', 'Resources:', '- https://site.example/terms', ''],
    });
    expect(read2).toEqual({
      domain: 'site.example:8443',
      address: ADDRESSES.solana,
      statement: 'I accept the terms',
      uri: new URL(FIELDS.URI),
      network: 'mainnet',
      issuedAt: new Date('2026-11-29T01:02:03.004Z'),
      expiresAt: new Date('2026-11-29T02:02:03Z'),
      notBefore: new Date('2026-11-29T01:02:04.123Z'),
    });
  });

  test.each([
    [{ domain: 'localhost:80' }, 'localhost:80'],
    [{ domain: 'http://site.example' }, 'site.example'],
    [{ more: ['Resources', '- x'] }, 'site.example'],
    [{ fields: { 'Expiration Time': FIELDS['Issued At'], 'Not Before': FIELDS['Issued At'] } }, 'site.example'],
    [{ fields: { URI: 'http://site.example/' } }, 'site.example'],
  ] satisfies [Parts, string][])('with %j is read', (parts, domain) => {
    expect(read(parts)).toMatchObject({ domain });
  });

  const FIRST = 'message first line does not end in " wants you to sign in with your Ethereum account:"';
  const DOMAIN = 'domain in first line of message is not valid';
  const ADDRESS = 'wallet address is not in the expected format';
  const URI = 'URI is missing or invalid';
  const ISSUED = 'Issued At is missing or not an ISO8601 timestamp';
  const OTHER_TIME = 'Expiration Time or Not Before is not an ISO8601 timestamp';
  test.each([
    [{ fields: { Version: undefined, URI: undefined } }, 'message needs to be at least 6 lines long'],
    [{ fields: { 'Request ID': 'a\rURI: x' } }, 'message contains control characters'],
    [{ fields: { 'Request ID': 'a\u007f' } }, 'message contains control characters'],
    [{ header: ' wants you to sign in with your Solana account:' }, FIRST],
    [{ header: ' wants you to sign in with your Ethereum account: ' }, FIRST],
    [{ domain: '' }, DOMAIN],
    [{ domain: 'site example' }, DOMAIN],
    [{ domain: '!site.example' }, DOMAIN],
    [{ domain: 'site.example:123456' }, DOMAIN],
    [{ domain: 'site.example:' }, DOMAIN],
    [{ domain: 'site.example/path' }, DOMAIN],
    [{ domain: 'ftp://site.example' }, DOMAIN],
    [{ domain: 'xhttps://site.example' }, DOMAIN],
    [{ address: `${ADDRESSES.ethereum}0` }, ADDRESS],
    [{ address: `x${ADDRESSES.ethereum}` }, ADDRESS],
    [{ address: ADDRESSES.ethereum.slice(0, -1) }, ADDRESS],
    [{ address: ADDRESSES.ethereum.replace('A', 'g') }, ADDRESS],
    [{ chain: 'solana', address: ADDRESSES.ethereum }, ADDRESS],
    [{ chain: 'solana', address: ADDRESSES.solana.slice(0, 31) }, ADDRESS],
    [{ chain: 'solana', address: `${ADDRESSES.solana}m` }, ADDRESS],
    [{ chain: 'solana', address: `O${ADDRESSES.solana.slice(1)}` }, ADDRESS],
    [{ lead: ['I accept the terms', '', ''] }, 'third line must be empty'],
    [{ lead: ['', 'I accept the terms'] }, 'line "I accept the terms" is not part of a sign-in message'],
    [{ more: ['Amount: 1'] }, 'line "Amount: 1" is not part of a sign-in message'],
    [{ more: [`Amount: ${'1'.repeat(60)}`] }, `line "Amount: ${'1'.repeat(32)}" is not part of a sign-in message`],
    [{ more: ['xVersion: 1'] }, 'line "xVersion: 1" is not part of a sign-in message'],
    [{ more: ['Version: 1'] }, 'Version appears twice'],
    [{ more: ['Resources:', 'https://site.example'] }, 'each resource must begin with "- "'],
    [{ more: ['Resources:', '- a', 'Version: 1'] }, 'each resource must begin with "- "'],
    [{ more: ['xResources:', '- a'] }, 'line "xResources:" is not part of a sign-in message'],
    [{ more: ['Resources: a'] }, 'line "Resources: a" is not part of a sign-in message'],
    [{ fields: { Version: '2' } }, 'Version value is not supported, expected 1'],
    [{ fields: { Version: undefined, Nonce: 'x' } }, 'Version value is not supported, expected 1'],
    [{ fields: { URI: undefined, Nonce: 'x' } }, URI],
    [{ fields: { URI: 'my-app://x' } }, URI],
    [{ fields: { URI: 'xhttps://site.example' } }, URI],
    [{ fields: { URI: 'https://' } }, URI],
    [{ fields: { 'Issued At': undefined, Nonce: 'x' } }, ISSUED],
    [{ fields: { 'Issued At': 'yesterday' } }, ISSUED],
    [{ fields: { 'Issued At': '2026-11-29' } }, ISSUED],
    [{ fields: { 'Issued At': '2026-11-29T25:02:03Z' } }, ISSUED],
    [{ fields: { 'Issued At': 'x2026-11-29T01:02:03Z' } }, ISSUED],
    [{ fields: { 'Issued At': '2026-11-29T01:02:03Zx' } }, ISSUED],
    [{ fields: { 'Issued At': '2026-11-29T01:02:03.Z' } }, ISSUED],
    [{ fields: { 'Issued At': '2026-11-29T01:02:03' } }, ISSUED],
    [{ fields: { 'Expiration Time': 'never' } }, OTHER_TIME],
    [{ fields: { 'Not Before': 'never' } }, OTHER_TIME],
    [{ fields: { 'Expiration Time': '2026-11-29T01:02:03.003Z' } }, 'Issued At is after Expiration Time'],
    [
      { fields: { 'Expiration Time': '2026-11-29T01:03:00Z', 'Not Before': '2026-11-29T01:04:00Z' } },
      'Not Before is after Expiration Time',
    ],
  ] satisfies [Parts, string][])('with %j is refused: %s', (parts, reason) => {
    expect(read(parts)).toBe(reason);
  });
});
