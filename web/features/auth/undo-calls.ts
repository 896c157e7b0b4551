import { apiUrl, publicKey } from '#web/data/server.ts';
import { readFailure } from '#web/lib/errors.ts';
import type { SecondFactor } from './queries.ts';

/** A change of address that can be undone. `email`: the address that is restored. `factors`: the second factors, one of which is required. */
export type UndoBegun = { readonly email: string; readonly factors: readonly SecondFactor[] };

type Begun = {
  readonly email: string;
  readonly factors: readonly {
    readonly id: string;
    readonly factor_type: SecondFactor['type'];
    readonly friendly_name: string;
  }[];
};
/** A challenge of a second factor. `webauthn` contains the options for a security key. */
export type UndoChallenge = {
  readonly id: string;
  readonly webauthn?: {
    readonly type: 'request';
    readonly credential_options: { readonly publicKey: PublicKeyCredentialRequestOptionsJSON };
  };
};
/** The answer to a challenge: a code, or the response of a security key. */
export type FactorAnswer =
  | { readonly code: string }
  | { readonly webauthn: { readonly type: 'request'; readonly credential_response: unknown } };

/** Begins to undo the change of address of a mailed link. */
export async function beginUndo(tokenHash: string): Promise<UndoBegun> {
  const { email, factors } = await post<Begun>('', { token_hash: tokenHash });
  return {
    email,
    factors: factors.map((factor) => ({ id: factor.id, type: factor.factor_type, name: factor.friendly_name })),
  };
}

/** Starts a challenge of a second factor. For a phone this sends the message. */
export function challengeUndo(tokenHash: string, factorId: string): Promise<UndoChallenge> {
  return post<UndoChallenge>('/challenge', { token_hash: tokenHash, factor_id: factorId });
}

/** Prompts for the security key of a challenge. Rejects if the person cancels or the browser does not support it. */
export async function answerWithKey(challenge: UndoChallenge): Promise<FactorAnswer> {
  const options = challenge.webauthn?.credential_options.publicKey;
  if (options === undefined) throw new Error('This second step has no security key.');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The security key didn’t answer.');
  return { webauthn: { type: 'request', credential_response: credential.toJSON() } };
}

/** Undoes the change and sets a new password. `proof`: the answer of a second factor, or null if the account has none. */
export async function completeUndo(
  tokenHash: string,
  password: string,
  proof: { readonly factorId: string; readonly challengeId: string; readonly answer: FactorAnswer } | null,
): Promise<void> {
  await post('/complete', {
    token_hash: tokenHash,
    password,
    ...(proof && { factor_id: proof.factorId, challenge_id: proof.challengeId, ...proof.answer }),
  });
}

/** Calls the endpoint directly: Supabase Auth has no such calls, so its client has no methods for them. */
async function post<Answer>(path: string, body: Readonly<Record<string, unknown>>): Promise<Answer> {
  const response = await fetch(`${apiUrl}/auth/v1/email-undo${path}`, {
    method: 'POST',
    headers: { apikey: publicKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw await readFailure(response);
  return response.json() as Promise<Answer>;
}
