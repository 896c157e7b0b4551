import { z } from 'zod';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { accountOf, type ExternalIdentity } from '../external/external-identity.ts';
import { createRedirectCheck } from '../external/redirects.ts';
import { markUsed } from '../external/replay-guard.ts';
import { type Chain, readWalletMessage, type WalletMessage } from '../external/wallet-message.ts';
import { isSignedBy, signatureFault } from '../external/wallet-signature.ts';
import { type Operation, readBody, readFrom } from '../core/request.ts';

const schema = z.object({
  chain: z.string().nullish(),
  message: z.string().nullish(),
  signature: z.string().nullish(),
});
const NAMES: Readonly<Record<Chain, string>> = { ethereum: 'Ethereum', solana: 'Solana' };
/** How long before and after its time of issue a message counts. */
const VALID_MS = 600_000;
const isChain = (text: string): text is Chain => Object.hasOwn(NAMES, text);
const invalid = (message: string): AuthRefusal => new AuthRefusal(400, 'invalid_grant', message);

/** `POST /token?grant_type=web3`: a message signed by a wallet (EIP-4361), meant for a page of ours, fresh, and shown for the first time. */
export function createTokenWeb3(parts: AuthContext): Operation {
  const { db, clock, config, keys, limits, sessions } = parts;
  const check = createRedirectCheck(config.siteUrl, config.redirects);

  function read(body: z.output<typeof schema>): { chain: Chain; raw: string; message: WalletMessage } {
    const chain = body.chain ?? '';
    if (!isChain(chain)) throw new AuthRefusal(400, 'web3_unsupported_chain', 'Unsupported chain');
    if (!config.chains.includes(chain))
      throw refuse.disabled(422, 'web3_provider_disabled', `${NAMES[chain]} Web3 provider is disabled`);
    const raw = body.message ?? '';
    if (raw.length < 64) throw refuse.validation('message is too short');
    if (raw.length > 20 * 1024) throw refuse.validation('message must not exceed 20KB');
    const signature = body.signature ?? '';
    const fault = signatureFault(signature, chain);
    if (fault !== null) throw refuse.validation(fault);
    const message = readWalletMessage(raw, chain);
    if (typeof message === 'string') throw refuse.validation(message);
    if (!isSignedBy(message.address, raw, signature, chain))
      throw invalid('Signature does not match address in message');
    return { chain, raw, message };
  }

  /** A message signed for another page is a message that page could show us. */
  function checkPlace(name: string, { uri, domain }: WalletMessage): void {
    if (uri.protocol !== 'https:' && uri.hostname !== 'localhost')
      throw invalid(`Signed ${name} message is using URI which does not use HTTPS`);
    if (check(uri.href) === null)
      throw invalid(
        `Signed ${name} message is using URI which is not allowed on this server, message was signed for another app`,
      );
    // Upstream excuses localhost from this; a message is signed for the page it names, wherever that is.
    if (uri.host !== domain)
      throw invalid(
        `Signed ${name} message is using a Domain that does not match the one in URI which is not allowed on this server`,
      );
  }

  function checkTime(name: string, { issuedAt, expiresAt, notBefore }: WalletMessage): void {
    const now = clock();
    if (notBefore && now < notBefore) throw invalid(`Signed ${name} message becomes valid in the future`);
    if (expiresAt && now >= expiresAt) throw invalid(`Signed ${name} message is expired`);
    const age = now.getTime() - issuedAt.getTime();
    if (age > VALID_MS) throw invalid(`${name} message was issued too long ago`);
    if (age < -VALID_MS) throw invalid(`${name} message was issued too far in the future`);
  }

  return async (c) => {
    // As upstream (internal/api/web3.go): where no chain is enabled, the body is not looked at.
    if (config.chains.length === 0) throw refuse.disabled(422, 'web3_provider_disabled', 'Web3 provider is disabled');
    const body = await readBody(c, schema);
    const from = readFrom(c);
    const wait = await limits(authLimits.flowIp, `ip:${from.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const { chain, raw, message } = read(body);
    checkPlace(NAMES[chain], message);
    checkTime(NAMES[chain], message);
    const until = new Date(message.issuedAt.getTime() + VALID_MS + 1000);
    const done = await db.transaction(async (tx) => {
      if (!(await markUsed(tx, keys, { kind: 'wallet', text: `${chain}\n${raw}`, until })))
        throw invalid(`Signed ${NAMES[chain]} message has been used already`);
      const user = await accountOf(parts, tx, toExternalIdentity(chain, message), from.ip);
      return sessions.beginIn(tx, user, 'web3', from);
    });
    sessions.forget(done.ended);
    return c.json(done.answer);
  };
}

function toExternalIdentity(chain: Chain, { address, network, domain, statement }: WalletMessage): ExternalIdentity {
  return {
    provider: 'web3',
    subject: `web3:${chain}:${address}`,
    email: null,
    emailVerified: false,
    claims: { custom_claims: { address, chain, network, domain, statement } },
    needsEmail: false,
    sso: false,
  };
}
