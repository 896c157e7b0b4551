import { z } from 'zod';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import { allowedRedirect } from '../core/redirects.ts';
import { type Call, readBody, readRequestInfo } from '../core/request.ts';
import type { ExternalIdentity } from '../external/external-identity.ts';
import { findOrCreateUser } from '../external/find-or-create-user.ts';
import { markUsed } from '../external/replay-guard.ts';
import { beginSessionIn } from '../sessions/begin.ts';
import { type Chain, readWalletMessage, type WalletMessage } from './wallet-message.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({
  chain: z.string().nullish(),
  message: z.string().nullish(),
  signature: z.string().nullish(),
});
const CHAIN_NAMES: Readonly<Record<Chain, string>> = { ethereum: 'Ethereum', solana: 'Solana' };
/** Maximum distance between the issue time of a message and the present. */
const VALID_MS = 600_000;
const isChain = (text: string): text is Chain => Object.hasOwn(CHAIN_NAMES, text);
const invalid = (message: string): AuthRefusal => new AuthRefusal(400, 'invalid_grant', message);
const disabled = (message: string): AuthRefusal => new AuthRefusal(422, 'web3_provider_disabled', message);

/** A message that its wallet has signed. */
type SignedMessage = { readonly chain: Chain; readonly raw: string; readonly message: WalletMessage };
/**
 * `POST /token?grant_type=web3`: signs in with a message signed by a wallet (EIP-4361). The message must name a page of this site and be
 * fresh and unused.
 */
export async function signInWithWallet(context: AuthContext, c: Call): Promise<Response> {
  const { db, clock, config, sessions } = context;
  // As in Supabase Auth (internal/api/web3.go), the body is not read if no chain is enabled.
  if (config.chains.length === 0) throw disabled('Web3 provider is disabled');
  const body = await readBody(c, schema);
  const request = readRequestInfo(c);
  await takeLimit(context, authLimits.flowIp, `ip:${request.ip}`);
  const { chain, raw, message } = await readSignedMessage(context, body);
  checkDomain(context, CHAIN_NAMES[chain], message);
  checkTime(CHAIN_NAMES[chain], message, clock());
  const until = new Date(message.issuedAt.getTime() + VALID_MS + 1000);
  const begun = await db.transaction(async (tx) => {
    if (!(await markUsed(context, tx, { kind: 'wallet', text: `${chain}\n${raw}`, until })))
      throw invalid(`Signed ${CHAIN_NAMES[chain]} message has been used already`);
    const user = await findOrCreateUser(context, tx, toExternalIdentity(chain, message), request.ip);
    return beginSessionIn(context, tx, user, 'web3', request);
  });
  sessions.forget(begun.ended);
  return c.json(begun.response);
}

/** Reads the message and checks its signature. Loads the elliptic curves on first use: most servers accept no wallets. */
async function readSignedMessage({ config }: AuthContext, body: z.output<typeof schema>): Promise<SignedMessage> {
  const chain = body.chain ?? '';
  if (!isChain(chain)) throw new AuthRefusal(400, 'web3_unsupported_chain', 'Unsupported chain');
  if (!config.chains.includes(chain)) throw disabled(`${CHAIN_NAMES[chain]} Web3 provider is disabled`);
  const raw = body.message ?? '';
  if (raw.length < 64) throw refuse.validation('message is too short');
  if (raw.length > 20 * 1024) throw refuse.validation('message must not exceed 20KB');
  const signature = body.signature ?? '';
  const { isSignedBy, signatureFault } = await import('./wallet-signature.ts');
  const fault = signatureFault(signature, chain);
  if (fault !== null) throw refuse.validation(fault);
  const message = readWalletMessage(raw, chain);
  if (typeof message === 'string') throw refuse.validation(message);
  if (!isSignedBy(message.address, raw, signature, chain)) throw invalid('Signature does not match address in message');
  return { chain, raw, message };
}

/** Checks that the message was signed for a page of this site. Otherwise another site could replay the messages of its visitors here. */
function checkDomain({ config }: AuthContext, name: string, { uri, domain }: WalletMessage): void {
  if (uri.protocol !== 'https:' && uri.hostname !== 'localhost')
    throw invalid(`Signed ${name} message is using URI which does not use HTTPS`);
  if (allowedRedirect(config, uri.href) === null)
    throw invalid(
      `Signed ${name} message is using URI which is not allowed on this server, message was signed for another app`,
    );
  // Supabase Auth exempts localhost from this check. We do not.
  if (uri.host !== domain)
    throw invalid(
      `Signed ${name} message is using a Domain that does not match the one in URI which is not allowed on this server`,
    );
}

function checkTime(name: string, { issuedAt, expiresAt, notBefore }: WalletMessage, now: Date): void {
  if (notBefore && now < notBefore) throw invalid(`Signed ${name} message becomes valid in the future`);
  if (expiresAt && now >= expiresAt) throw invalid(`Signed ${name} message is expired`);
  const age = now.getTime() - issuedAt.getTime();
  if (age > VALID_MS) throw invalid(`${name} message was issued too long ago`);
  if (age < -VALID_MS) throw invalid(`${name} message was issued too far in the future`);
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
