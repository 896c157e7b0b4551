import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { resetLimit } from '#server/http/limits.ts';
import { equalInConstantTime } from '#server/crypto/constant-time.ts';
import { createEncryption } from '#server/crypto/encryption.ts';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Handler, type Person, readBody, readPerson } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { readAssertion, readRegistration, type StoredCredential } from '../passkeys/relying-party.ts';
import { codeHash, notEnabled } from './challenge.ts';
import { TOTP_SECRET } from './enrol.ts';
import { type FactorRow, factorOf, type FactorType } from './factor-rows.ts';
import { totpStep } from './totp.ts';

const schema = z.object({
  challenge_id: z.uuid(),
  code: z.string().max(32).nullish(),
  webauthn: z.object({ type: z.string().max(16), credential_response: z.unknown().optional() }).nullish(),
});
type Body = z.output<typeof schema>;

type ChallengeRow = { id: string; code_hash: string | null; web_authn_challenge: string | null };
/** What a right answer changes in the factor. */
type Proven = { readonly step?: number; readonly credential?: StoredCredential };

const METHODS: Readonly<Record<FactorType, string>> = {
  totp: 'totp',
  phone: 'mfa/phone',
  webauthn: 'mfa/webauthn',
};
/** Wrong answers that a challenge allows. */
const TRIES = 5;

/** `POST /factors/:id/verify`: raises the session to aal2. The first right answer verifies the factor. Other sessions at aal1 end. */
export function createVerifyFactor(context: AuthContext): Handler {
  const { db, clock, config, limits, sessions, keys, readCaller } = context;
  const encryption = createEncryption(keys.derive(TOTP_SECRET));

  /**
   * Counts a try on the challenge, under its lock: of a thousand concurrent guesses, five are checked.
   * Returns null when no try is left.
   */
  function countTry(tx: Transaction, factor: FactorRow, id: string, ip: string): Promise<ChallengeRow | null> {
    return tx.one<ChallengeRow>(
      `update auth.mfa_challenges set attempts = attempts + 1
       where id = $1::uuid and factor_id = $2::uuid and ip_address = $3 and verified_at is null
         and expires_at > $4::timestamptz and attempts < $5::int
       returning id, code_hash, web_authn_challenge`,
      [id, factor.id, ip, clock(), TRIES],
    );
  }

  async function check(factor: FactorRow, challenge: ChallengeRow, body: Body): Promise<Proven | null> {
    const code = body.code ?? '';
    if (factor.factor_type === 'totp') {
      const step = totpStep(encryption.decrypt(factor.secret ?? '', factor.id), code, clock());
      return step !== null && step > factor.last_step ? { step } : null;
    }
    if (factor.factor_type === 'phone')
      return equalInConstantTime(codeHash(context, challenge.id, code), challenge.code_hash ?? '') ? {} : null;
    return checkKey(factor, challenge.web_authn_challenge ?? '', body.webauthn?.credential_response);
  }

  async function checkKey(factor: FactorRow, signed: string, answer: unknown): Promise<Proven | null> {
    const registered = factor.web_authn_credential;
    if (factor.status === 'unverified' || registered === null) {
      const made = await readRegistration(config.relyingParty, answer, signed, 'factor');
      if (made === null) return null;
      const { id, publicKey, counter, transports } = made;
      return { credential: { id, publicKey, counter, transports } };
    }
    const proof = await readAssertion(config.relyingParty, answer, signed, registered, 'factor');
    return proof && { credential: { ...registered, counter: proof.counter } };
  }

  async function accept(tx: Transaction, person: Person, factor: FactorRow, proven: Proven, challengeId: string) {
    const now = clock();
    await tx.query('update auth.mfa_challenges set verified_at = $2::timestamptz where id = $1::uuid', [
      challengeId,
      now,
    ]);
    await tx.query(
      `update auth.mfa_factors set status = 'verified', updated_at = $2::timestamptz, last_step = coalesce($3::bigint, last_step),
         web_authn_credential = coalesce($4::jsonb, web_authn_credential) where id = $1::uuid`,
      [factor.id, now, proven.step ?? null, proven.credential ?? null],
    );
    await tx.query(
      `delete from auth.mfa_factors where user_id = $1::uuid and factor_type = $2 and status = 'unverified'`,
      [person.userId, factor.factor_type],
    );
    const answer = await sessions.raise(tx, person, { method: METHODS[factor.factor_type], aal: 'aal2' });
    await tx.query('update auth.sessions set factor_id = $2::uuid where id = $1::uuid', [person.sessionId, factor.id]);
    const { rows } = await tx.query<{ id: string }>(
      `delete from auth.sessions where user_id = $1::uuid and aal = 'aal1' returning id`,
      [person.userId],
    );
    return { answer, ended: rows.map((row) => row.id) };
  }

  type Outcome = { answer: Record<string, unknown>; ended: readonly string[] } | 'wrong' | 'closed';
  function answerChallenge(person: Person, factorId: string, body: Body, ip: string): Promise<Outcome> {
    return db.transaction(async (tx) => {
      // Lock the factor first: concurrent answers are checked one after the other, so a TOTP code is accepted once.
      const factor = await factorOf(tx, { factorId, userId: person.userId }, true);
      const challenge = await countTry(tx, factor, body.challenge_id, ip);
      if (challenge === null) return 'closed';
      const proven = await check(factor, challenge, body);
      const { id, factor_type } = factor;
      const details = { factor_id: id, factor_type, challenge_id: challenge.id, verified: proven !== null };
      await record(tx, { action: 'verification_attempted', actorId: person.userId, at: clock(), ip, details });
      // Return instead of throwing: a throw would roll the counted try back.
      return proven === null ? 'wrong' : accept(tx, person, factor, proven, challenge.id);
    });
  }

  return async (c) => {
    const person = await readPerson(c, readCaller);
    const body = await readBody(c, schema);
    const factor = await factorOf(db, { factorId: c.req.param('factor') ?? '', userId: person.userId });
    checkShape(factor, body);
    if (!config.factors[factor.factor_type]) throw notEnabled(factor);
    const wait = await limits(authLimits.factorTries, `factor:${factor.id}`);
    if (wait !== null) throw refuse.rate(wait);
    const outcome = await answerChallenge(person, factor.id, body, c.var.ip);
    if (outcome === 'closed') throw await closedRefusal(context, factor, body.challenge_id, c.var.ip);
    if (outcome === 'wrong') throw wrongAnswer(factor.factor_type);
    await resetLimit(db, { limit: authLimits.factorTries, key: `factor:${factor.id}` });
    sessions.forget(outcome.ended);
    return c.json(outcome.answer);
  };
}

function checkShape(factor: FactorRow, body: Body): void {
  if (factor.factor_type !== 'webauthn') {
    if (!body.code) throw refuse.validation('Code needs to be non-empty');
    return;
  }
  if (!body.webauthn) throw refuse.validation('WebAuthn config required');
  const { type, credential_response: response } = body.webauthn;
  if (type !== 'create' && type !== 'request') throw refuse.validation('WebAuthn type must be create or request');
  if (response === undefined || response === null) throw refuse.validation('credential_response required');
  if ((type === 'create') !== (factor.status === 'unverified'))
    throw refuse.validation('WebAuthn type does not fit the factor');
}

function wrongAnswer(type: FactorType): AuthRefusal {
  const messages: Readonly<Record<FactorType, string>> = {
    totp: 'Invalid TOTP code entered',
    phone: 'Invalid MFA Phone code entered',
    webauthn: 'WebAuthn credential could not be verified',
  };
  return new AuthRefusal(422, 'mfa_verification_failed', messages[type]);
}

/** Why a challenge is closed: for another factor, from another address, used or expired. */
async function closedRefusal(
  { db, clock }: AuthContext,
  factor: FactorRow,
  id: string,
  ip: string,
): Promise<AuthRefusal> {
  const row = await db.one<{ ip_address: string; verified_at: Date | null; expires_at: Date }>(
    'select ip_address, verified_at, expires_at from auth.mfa_challenges where id = $1::uuid and factor_id = $2::uuid',
    [id, factor.id],
  );
  if (!row) return new AuthRefusal(422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found');
  if (row.verified_at !== null || row.ip_address !== ip)
    return new AuthRefusal(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.');
  const expired = row.expires_at <= clock();
  return new AuthRefusal(
    422,
    'mfa_challenge_expired',
    expired
      ? `MFA challenge ${id} has expired, verify against another challenge or create a new challenge.`
      : `MFA challenge ${id} has been tried too often, verify against another challenge or create a new challenge.`,
  );
}
