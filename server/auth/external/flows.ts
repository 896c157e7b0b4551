import { randomBytes, randomUUID } from 'node:crypto';
import type { Transaction } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { Keys } from '#server/crypto/keys.ts';
import { createEncryption } from '#server/crypto/encryption.ts';
import type { Challenge } from './pkce.ts';

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
type Tx = Pick<Transaction, 'one'>;

export type Flows = {
  /** Begins a flow. Returns the state that the provider must send back. */
  begin(tx: Tx, flow: Omit<Flow, 'id'>): Promise<{ id: string; state: string }>;
  /** Secrets that only this server and the provider's answer know. */
  secrets(id: string): { nonce: string; verifier: string };
  /** Takes the flow of a state. Works once. */
  take(tx: Tx, state: string): Promise<Flow | null>;
  /** Ends a flow with a code that can be exchanged once, within five minutes. */
  finish(tx: Tx, flow: Flow, userId: string, tokens: ProviderTokens | null): Promise<string>;
  /** Exchanges a code. The code is used even if the exchange is refused. */
  exchange(
    tx: Tx,
    code: string,
  ): Promise<{ flow: Flow; userId: string; tokens: ProviderTokens | null; expired: boolean } | null>;
};

const FLOW_SECONDS = 600;
const CODE_SECONDS = 300;
const COLUMNS =
  'id, provider_type, authentication_method, code_challenge, code_challenge_method, redirect_to, link_user_id, request_id';
type Row = {
  id: string;
  provider_type: string;
  authentication_method: Flow['method'];
  code_challenge: string | null;
  code_challenge_method: 's256' | 'plain' | null;
  redirect_to: string;
  link_user_id: string | null;
  request_id: string | null;
};

export function createFlows({ keys, clock }: { keys: Keys; clock: Clock }): Flows {
  const encryption = createEncryption(keys.derive('provider-tokens'));
  const hash = (purpose: string, text: string): string => keys.hmac(purpose, text).toString('base64url');
  const inSeconds = (seconds: number): Date => new Date(clock().getTime() + seconds * 1000);

  return {
    async begin(tx, flow) {
      const id = randomUUID();
      const state = randomBytes(32).toString('base64url');
      await tx.one(
        `insert into auth.flow_state (id, provider_type, authentication_method, state_hash, code_challenge, code_challenge_method,
           redirect_to, link_user_id, request_id, created_at, expires_at)
         values ($1::uuid, $2, $3, $4, $5, $6, $7, $8::uuid, $9, $10::timestamptz, $11::timestamptz)`,
        [
          id,
          flow.provider,
          flow.method,
          hash('flow-state', state),
          flow.challenge?.text ?? null,
          flow.challenge?.method ?? null,
          flow.redirectTo,
          flow.linkUserId,
          flow.requestId,
          clock(),
          inSeconds(FLOW_SECONDS),
        ],
      );
      return { id, state };
    },
    // Derived, never stored: access to the database is not enough to finish somebody's sign-in.
    secrets: (id) => ({ nonce: hash('flow-nonce', id), verifier: hash('flow-verifier', id) }),
    async take(tx, state) {
      const row = await tx.one<Row>(
        `update auth.flow_state set state_hash = null where state_hash = $1 and expires_at > $2::timestamptz returning ${COLUMNS}`,
        [hash('flow-state', state), clock()],
      );
      return row && toFlow(row);
    },
    async finish(tx, flow, userId, tokens) {
      const code = randomUUID();
      await tx.one(
        `update auth.flow_state set user_id = $2::uuid, auth_code_hash = $3, provider_tokens = $4, expires_at = $5::timestamptz where id = $1::uuid`,
        [
          flow.id,
          userId,
          hash('flow-code', code),
          tokens && encryption.encrypt(JSON.stringify(tokens), flow.id),
          inSeconds(CODE_SECONDS),
        ],
      );
      return code;
    },
    async exchange(tx, code) {
      const row = await tx.one<Row & { user_id: string; provider_tokens: string | null; expires_at: Date }>(
        `delete from auth.flow_state where auth_code_hash = $1 returning ${COLUMNS}, user_id, provider_tokens, expires_at`,
        [hash('flow-code', code)],
      );
      return (
        row && {
          flow: toFlow(row),
          userId: row.user_id,
          tokens: row.provider_tokens === null ? null : JSON.parse(encryption.decrypt(row.provider_tokens, row.id)),
          expired: row.expires_at <= clock(),
        }
      );
    },
  };
}

function toFlow(row: Row): Flow {
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
