import { randomBytes, randomUUID } from 'node:crypto';
import { createEncryption, type Encryption } from '#server/crypto/encryption.ts';
import type { Keys } from '#server/crypto/keys.ts';
import type { Transaction } from '#server/db/database.ts';
import type { Challenge } from './pkce.ts';
import type { AuthContext } from '../core/context.ts';

/** The state of a sign-in at a provider (OAuth or SAML). */
export type Flow = {
  readonly id: string;
  readonly provider: string;
  readonly method: 'oauth' | 'sso/saml';
  readonly redirectTo: string;
  readonly challenge: Challenge;
  readonly linkUserId: string | null;
  readonly requestId: string | null;
};
export type ProviderTokens = { readonly access: string; readonly refresh: string | null };

const FLOW_SECONDS = 600;
const CODE_SECONDS = 300;
const COLUMNS =
  'id, provider_type, authentication_method, code_challenge, code_challenge_method, redirect_to, link_user_id, request_id';
type FlowRow = {
  id: string;
  provider_type: string;
  authentication_method: Flow['method'];
  code_challenge: string | null;
  code_challenge_method: 's256' | 'plain' | null;
  redirect_to: string;
  link_user_id: string | null;
  request_id: string | null;
};

/** Begins a flow. Returns the state that the provider must send back. */
export async function beginFlow(
  { keys, clock }: AuthContext,
  tx: Transaction,
  flow: Omit<Flow, 'id'>,
): Promise<{ id: string; state: string }> {
  const id = randomUUID();
  const state = randomBytes(32).toString('base64url');
  await tx.queryRow(
    `insert into auth.flow_state (id, provider_type, authentication_method, state_hash, code_challenge, code_challenge_method,
       redirect_to, link_user_id, request_id, created_at, expires_at)
     values ($1::uuid, $2, $3, $4, $5, $6, $7, $8::uuid, $9, $10::timestamptz, $11::timestamptz)`,
    [
      id,
      flow.provider,
      flow.method,
      hash(keys, 'flow-state', state),
      flow.challenge?.text ?? null,
      flow.challenge?.method ?? null,
      flow.redirectTo,
      flow.linkUserId,
      flow.requestId,
      clock(),
      secondsFrom(clock(), FLOW_SECONDS),
    ],
  );
  return { id, state };
}

/**
 * Returns the nonce and the PKCE verifier of a flow. They are derived and never stored, so access to the database is not enough to finish a
 * sign-in.
 */
export function flowSecrets({ keys }: AuthContext, id: string): { nonce: string; verifier: string } {
  return { nonce: hash(keys, 'flow-nonce', id), verifier: hash(keys, 'flow-verifier', id) };
}

/** Takes the flow of a state. Returns null the second time. */
export async function takeFlow({ keys, clock }: AuthContext, tx: Transaction, state: string): Promise<Flow | null> {
  const row = await tx.queryRow<FlowRow>(
    `update auth.flow_state set state_hash = null where state_hash = $1 and expires_at > $2::timestamptz returning ${COLUMNS}`,
    [hash(keys, 'flow-state', state), clock()],
  );
  return row && toFlow(row);
}

/** Ends a flow with a code, which can be exchanged once and within five minutes. */
export async function finishFlow(
  { keys, clock }: AuthContext,
  tx: Transaction,
  flow: Flow,
  userId: string,
  tokens: ProviderTokens | null,
): Promise<string> {
  const code = randomUUID();
  await tx.queryRow(
    `update auth.flow_state set user_id = $2::uuid, auth_code_hash = $3, provider_tokens = $4, expires_at = $5::timestamptz
     where id = $1::uuid`,
    [
      flow.id,
      userId,
      hash(keys, 'flow-code', code),
      tokens && tokenEncryption(keys).encrypt(JSON.stringify(tokens), flow.id),
      secondsFrom(clock(), CODE_SECONDS),
    ],
  );
  return code;
}

/** Ends a flow without a code. */
export async function deleteFlow(tx: Transaction, flow: Flow): Promise<void> {
  await tx.query('delete from auth.flow_state where id = $1::uuid', [flow.id]);
}

/** The flow of a code, and the result from the provider. */
type ExchangedFlow = {
  readonly flow: Flow;
  readonly userId: string;
  readonly tokens: ProviderTokens | null;
  readonly expired: boolean;
};

/** Exchanges a code. The code is used up even if the exchange is refused. */
export async function exchangeFlow(
  { keys, clock }: AuthContext,
  tx: Transaction,
  code: string,
): Promise<ExchangedFlow | null> {
  const row = await tx.queryRow<FlowRow & { user_id: string; provider_tokens: string | null; expires_at: Date }>(
    `delete from auth.flow_state where auth_code_hash = $1 returning ${COLUMNS}, user_id, provider_tokens, expires_at`,
    [hash(keys, 'flow-code', code)],
  );
  if (!row) return null;
  const encrypted = row.provider_tokens;
  return {
    flow: toFlow(row),
    userId: row.user_id,
    tokens: encrypted === null ? null : JSON.parse(tokenEncryption(keys).decrypt(encrypted, row.id)),
    expired: row.expires_at <= clock(),
  };
}

function toFlow(row: FlowRow): Flow {
  const { code_challenge: text, code_challenge_method: method } = row;
  return {
    id: row.id,
    provider: row.provider_type,
    method: row.authentication_method,
    redirectTo: row.redirect_to,
    challenge: text !== null && method !== null ? { text, method } : null,
    linkUserId: row.link_user_id,
    requestId: row.request_id,
  };
}

function tokenEncryption(keys: Keys): Encryption {
  return createEncryption(...keys.deriveAll('provider-tokens'));
}

function hash(keys: Keys, purpose: string, text: string): string {
  return keys.hmac(purpose, text).toString('base64url');
}

function secondsFrom(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
