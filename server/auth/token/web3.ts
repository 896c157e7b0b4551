import { z } from 'zod';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { findOrCreateUser, type ExternalIdentity } from '../external/external-identity.ts';
import { createRedirectCheck } from '../external/redirects.ts';
import { markUsed } from '../external/replay-guard.ts';
import { type Chain, readWalletMessage, type WalletMessage } from '../external/wallet-message.ts';
import { isSignedBy, signatureFault } from '../external/wallet-signature.ts';
import { type Handler, readBody, readRequestInfo } from '../core/request.ts';

const schema = z.object({
  chain: z.string().nullish(),
  message: z.string().nullish(),
  signature: z.string().nullish(),
});
const NAMES: Readonly<Record<Chain, string>> = { ethereum: 'Ethereum', solana: 'Solana' };
/** How far the issue time of a message may be from now. */
const VALID_MS = 600_000;
const isChain = (text: string): text is Chain => Object.hasOwn(NAMES, text);
const invalid = (message: string): AuthRefusal => new AuthRefusal(400, 'invalid_grant', message);

/** `POST /token?grant_type=web3`: signs in with a message signed by a wallet (EIP-4361). It must name a page of ours, be fresh and unused. */
export function createTokenWeb3(context: AuthContext): Handler {
  const { db, clock, config, keys, limits, sessions } = context;
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

  /** Checks that the message was signed for a page of ours: another site could otherwise replay messages of its visitors here. */
  function checkDomain(name: string, { uri, domain }: WalletMessage): void {
    if (uri.protocol !== 'https:' && uri.hostname !== 'localhost')
      throw invalid(`Signed ${name} message is using URI which does not use HTTPS`);
    if (check(uri.href) === null)
      throw invalid(
        `Signed ${name} message is using URI which is not allowed on this server, message was signed for another app`,
      );
    // Upstream exempts localhost from this check. We do not.
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
    // As upstream (internal/api/web3.go): when no chain is enabled, the body is not read.
    if (config.chains.length === 0) throw refuse.disabled(422, 'web3_provider_disabled', 'Web3 provider is disabled');
    const body = await readBody(c, schema);
    const request = readRequestInfo(c);
    const wait = await limits(authLimits.flowIp, `ip:${request.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const { chain, raw, message } = read(body);
    checkDomain(NAMES[chain], message);
    checkTime(NAMES[chain], message);
    const until = new Date(message.issuedAt.getTime() + VALID_MS + 1000);
    const done = await db.transaction(async (tx) => {
      if (!(await markUsed(tx, keys, { kind: 'wallet', text: `${chain}\n${raw}`, until })))
        throw invalid(`Signed ${NAMES[chain]} message has been used already`);
      const user = await findOrCreateUser(context, tx, toExternalIdentity(chain, message), request.ip);
      return sessions.beginIn(tx, user, 'web3', request);
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
