import { randomBytes } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthTestServer, startAuthTestServer, engines, oneEngine } from './auth-test-server.ts';

/** A software wallet with the interface that a browser offers to a page. */
function createWallet() {
  const secret = secp256k1.utils.randomSecretKey();
  const key = secp256k1.getPublicKey(secret, false);
  const address = `0x${Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString('hex')}`;
  const sign = (message: string): string => {
    const text = Buffer.from(message);
    const hash = keccak_256(Buffer.concat([Buffer.from(`\u0019Ethereum Signed Message:\n${text.length}`), text]));
    const signed = secp256k1.sign(hash, secret, { prehash: false, format: 'recovered' });
    return `0x${Buffer.from(signed.subarray(1)).toString('hex')}${(27 + (signed[0] ?? 0)).toString(16)}`;
  };
  return {
    address,
    sign,
    /** See EIP-1193. */
    request: ({ method, params }: { method: string; params?: readonly unknown[] }): Promise<unknown> => {
      if (method === 'eth_requestAccounts') return Promise.resolve([address]);
      if (method === 'eth_chainId') return Promise.resolve('0x1');
      return Promise.resolve(sign(Buffer.from(String(params?.[0]).slice(2), 'hex').toString('utf8')));
    },
  };
}
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
function toBase58(bytes: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 58n) text = (BASE58[Number(number % 58n)] ?? '') + text;
  return text.padStart(32, '1');
}

describe.each(engines)('wallets with supabase-js (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  beforeAll(async () => {
    server = await startAuthTestServer({ postgres, env: { AUTH_WEB3: 'ethereum,solana' } });
  });
  afterAll(() => server.close());
  type Fields = { domain?: string; uri?: string; issuedAt?: Date; more?: string[]; address?: string; version?: string };
  const createMessage = (address: string, fields: Fields = {}): string => {
    const { host } = new URL(server.url);
    return [
      `${fields.domain ?? host} wants you to sign in with your Ethereum account:`,
      fields.address ?? address,
      '',
      'I accept the terms',
      '',
      `URI: ${fields.uri ?? `${server.url}/auth`}`,
      `Version: ${fields.version ?? '1'}`,
      'Chain ID: 1',
      `Nonce: ${randomBytes(8).toString('hex')}`,
      `Issued At: ${(fields.issuedAt ?? server.now()).toISOString()}`,
      ...(fields.more ?? []),
    ].join('\n');
  };
  const signIn = (message: string, signature: string, chain = 'ethereum') =>
    server.request('POST', '/token?grant_type=web3', { chain, message, signature });

  test('a wallet signs in with a message of supabase-js, and finds its account again [spec 7.3]', async () => {
    const wallet = createWallet();
    const client = server.visitor();
    const { data, error } = await client.auth.signInWithWeb3({
      chain: 'ethereum',
      // Cast: the client's type is the wallet of a browser.
      wallet: wallet as never,
      statement: 'I accept the terms',
      options: { url: `${server.url}/auth` },
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      email: '',
      app_metadata: { provider: 'web3', providers: ['web3'] },
      user_metadata: { custom_claims: { address: wallet.address, chain: 'ethereum', network: '1' } },
      identities: [{ provider: 'web3', id: `web3:ethereum:${wallet.address}` }],
    });
    expect((await client.auth.getClaims()).data?.claims).toMatchObject({ amr: [{ method: 'web3' }] });
    const message = createMessage(wallet.address);
    const repeated = await signIn(message, wallet.sign(message));
    expect(repeated).toMatchObject({ status: 200, body: { user: { id: data.user?.id } } });
    const upper = createMessage(wallet.address, { address: `0x${wallet.address.slice(2).toUpperCase()}` });
    expect(await signIn(upper, wallet.sign(upper))).toMatchObject({
      status: 200,
      body: { user: { id: data.user?.id } },
    });
  });

  test('a Solana wallet signs in as well', async () => {
    const secret = ed25519.utils.randomSecretKey();
    const address = toBase58(ed25519.getPublicKey(secret));
    const { data, error } = await server.visitor().auth.signInWithWeb3({
      chain: 'solana',
      statement: 'I accept the terms',
      wallet: {
        publicKey: { toBase58: () => address },
        signMessage: (message: Uint8Array) => Promise.resolve(ed25519.sign(message, secret)),
      } as never,
      options: { url: `${server.url}/auth` },
    });
    expect(error).toBeNull();
    expect(data.user?.identities).toMatchObject([{ id: `web3:solana:${address}` }]);
  });

  test('a message works once, for ten minutes, for our site, and for the address that signed it', async () => {
    const wallet = createWallet();
    const once = createMessage(wallet.address);
    expect((await signIn(once, wallet.sign(once))).status).toBe(200);
    expect(await signIn(once, wallet.sign(once))).toMatchObject({ status: 400, body: { code: 'invalid_grant' } });
    const minutes = (count: number): Date => new Date(server.now().getTime() + count * 60_000);
    const refused: Record<string, string> = {
      'of another address': createMessage(wallet.address, { address: createWallet().address }),
      'too old': createMessage(wallet.address, { issuedAt: minutes(-11) }),
      'of the future': createMessage(wallet.address, { issuedAt: minutes(11) }),
      over: createMessage(wallet.address, {
        issuedAt: minutes(-5),
        more: [`Expiration Time: ${minutes(-1).toISOString()}`],
      }),
      'not yet good': createMessage(wallet.address, { more: [`Not Before: ${minutes(1).toISOString()}`] }),
      'for another page': createMessage(wallet.address, { uri: 'https://evil.example/auth', domain: 'evil.example' }),
      'for a page under another name': createMessage(wallet.address, { domain: 'evil.example' }),
      'of another version': createMessage(wallet.address, { version: '2' }),
      'with a field twice': createMessage(wallet.address, { more: [`URI: ${server.url}/auth`] }),
      'with a line of no message': createMessage(wallet.address, { more: ['Amount: 1'] }),
      'with a carriage return': createMessage(wallet.address, { more: ['Request ID: a\rURI: x'] }),
    };
    for (const [name, message] of Object.entries(refused)) {
      const answer = await signIn(message, wallet.sign(message));
      expect(answer.status, `${name}: ${JSON.stringify(answer.body)}`).toBe(400);
    }
    const good = createMessage(wallet.address);
    for (const signature of [
      '0x00',
      'x',
      `0x${'0'.repeat(130)}`,
      `0x${'f'.repeat(130)}`,
      wallet.sign(`${good} `),
      createWallet().sign(good),
    ])
      expect((await signIn(good, signature)).status, signature).toBe(400);
    expect((await signIn(good, wallet.sign(good), 'dogecoin')).body['code']).toBe('web3_unsupported_chain');
    const both = await Promise.all([1, 2, 3].map(() => signIn(good, wallet.sign(good))));
    expect(both.filter((answer) => answer.status === 200)).toHaveLength(1);
  });
});

test.each(oneEngine)(
  'switched off, wallets are refused in the words of the protocol (PostgreSQL: %s)',
  async (postgres) => {
    const server = await startAuthTestServer({ postgres });
    const { error } = await server.visitor().auth.signInWithWeb3({
      chain: 'ethereum',
      message: 'x'.repeat(80),
      signature: '0x00',
    });
    expect(error).toMatchObject({ status: 422, code: 'web3_provider_disabled', message: 'Web3 provider is disabled' });
    await server.close();
  },
  60_000,
);
