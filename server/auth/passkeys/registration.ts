import { z } from 'zod';
import { isUniqueViolation, type Transaction } from '#server/db/database.ts';
import { lockUser, userById } from '../accounts/users.ts';
import { recordEvent } from '../core/audit-log.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Call, readBody, requireUser } from '../core/request.ts';
import { type NewCredential, readRegistration, registrationOptions } from '../webauthn/registration.ts';
import { storeChallenge, takeChallenge, verificationFailed } from './challenges.ts';
import { type PasskeyRow, readPasskeys, toPasskey, toStored } from './passkey-rows.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({
  challenge_id: z.uuid(),
  credential: z.unknown().optional(),
  credential_response: z.unknown().optional(),
});
/** `POST /passkeys/registration/options`: the options for creating a passkey. */
export async function passkeyOptions(context: AuthContext, c: Call): Promise<Response> {
  const { db, config } = context;
  const { userId } = await requireUser(context, c);
  const user = await userById(db, userId);
  if (!user) throw refuse.noSession();
  // A passkey of an SSO user would still work after the organisation has ended the user's access.
  if (user.is_sso_user) throw new AuthRefusal(422, 'validation_failed', 'SSO users cannot register passkeys');
  const existing = await readPasskeys(db, user.id);
  if (existing.length >= config.passkeys.max) throw tooManyPasskeys();
  const holder = { id: user.id, name: user.email || user.id };
  const options = await registrationOptions(config.relyingParty, holder, existing.map(toStored), 'passkey');
  const stored = await storeChallenge(context, { kind: 'registration', userId, challenge: options.challenge });
  return c.json({ ...stored, options });
}

/** `POST /passkeys/registration/verify`: stores the new passkey. */
export async function registerPasskey(context: AuthContext, c: Call): Promise<Response> {
  const { db, config } = context;
  const { userId } = await requireUser(context, c);
  const body = await readBody(c, schema);
  const response = body.credential ?? body.credential_response;
  if (!response) throw refuse.validation('credential is required');
  const taken = { kind: 'registration', userId, id: body.challenge_id } as const;
  const challenge = await db.transaction((tx) => takeChallenge(context, tx, taken));
  if (challenge instanceof AuthRefusal) throw challenge;
  const credential = await readRegistration(config.relyingParty, response, challenge, 'passkey');
  if (credential === null) throw verificationFailed();
  try {
    const row = await db.transaction((tx) => insertPasskey(context, tx, { userId, credential, ip: c.var.ip }));
    return c.json(toPasskey(row));
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AuthRefusal(422, 'webauthn_credential_exists', 'This credential is already registered');
  }
}

async function insertPasskey(
  { clock, config }: AuthContext,
  tx: Transaction,
  { userId, credential, ip }: { userId: string; credential: NewCredential; ip: string },
): Promise<PasskeyRow> {
  const at = clock();
  // With the account locked, concurrent registrations cannot exceed the maximum.
  await lockUser(tx, userId);
  if ((await readPasskeys(tx, userId)).length >= config.passkeys.max) throw tooManyPasskeys();
  const row = await tx.queryRow<PasskeyRow>(
    `insert into auth.webauthn_credentials
       (user_id, credential_id, public_key, aaguid, sign_count, transports, backup_eligible, backed_up, created_at, updated_at)
     values ($1::uuid, $2, $3::bytea, $4, $5::bigint, $6::text[], $7::boolean, $8::boolean, $9::timestamptz, $9::timestamptz)
     returning *`,
    [
      userId,
      credential.id,
      Buffer.from(credential.publicKey, 'base64url'),
      credential.aaguid,
      credential.counter,
      credential.transports,
      credential.backupEligible,
      credential.backedUp,
      at,
    ],
  );
  if (!row) throw new Error('a new passkey cannot be read back');
  const details = { passkey_id: row.id };
  await recordEvent(tx, { action: 'passkey_created', actorId: userId, at, ip, details });
  return row;
}

function tooManyPasskeys(): AuthRefusal {
  return new AuthRefusal(422, 'too_many_passkeys', 'Maximum number of passkeys reached');
}
