import { z } from 'zod';
import { DatabaseError, type Transaction } from '#server/db/database.ts';
import { userById } from '../accounts/users.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Handler, readBody, readPerson } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { storeChallenge, notVerified, takeChallenge } from './ceremony.ts';
import { type PasskeyRow, passkeysOf, toPasskey, toStored } from './passkey-rows.ts';
import { type NewCredential, readRegistration, registrationOptions } from './relying-party.ts';

const schema = z.object({
  challenge_id: z.uuid(),
  credential: z.unknown().optional(),
  credential_response: z.unknown().optional(),
});

const tooManyPasskeys = (): AuthRefusal =>
  new AuthRefusal(422, 'too_many_passkeys', 'Maximum number of passkeys reached');

/** `POST /passkeys/registration/options`: the options for creating a passkey. */
export function createPasskeyOptions(context: AuthContext): Handler {
  const { db, config, readCaller } = context;
  return async (c) => {
    const person = await readPerson(c, readCaller);
    const user = await userById(db, person.userId);
    if (!user) throw refuse.noSession();
    // SSO users: a passkey would outlive the end of access through the organisation.
    if (user.is_sso_user) throw new AuthRefusal(422, 'validation_failed', 'SSO users cannot register passkeys');
    const existing = await passkeysOf(db, user.id);
    if (existing.length >= config.passkeys.max) throw tooManyPasskeys();
    const holder = { id: user.id, name: user.email || user.id };
    const options = await registrationOptions(config.relyingParty, holder, existing.map(toStored), 'key');
    const kept = await storeChallenge(context, { kind: 'registration', userId: user.id, challenge: options.challenge });
    return c.json({ ...kept, options });
  };
}

/** `POST /passkeys/registration/verify`: stores the new passkey. */
export function createPasskeyRegister(context: AuthContext): Handler {
  const { db, clock, config, readCaller } = context;

  async function store(tx: Transaction, userId: string, credential: NewCredential, ip: string): Promise<PasskeyRow> {
    const now = clock();
    // Lock the account, so that concurrent registrations cannot exceed the maximum.
    await tx.one('select 1 from auth.users where id = $1::uuid for update', [userId]);
    if ((await passkeysOf(tx, userId)).length >= config.passkeys.max) throw tooManyPasskeys();
    const row = await tx.one<PasskeyRow>(
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
        now,
      ],
    );
    if (!row) throw new Error('a new passkey cannot be read back');
    await record(tx, {
      action: 'passkey_created',
      actorId: userId,
      at: now,
      ip,
      details: { passkey_id: row.id },
    });
    return row;
  }

  return async (c) => {
    const person = await readPerson(c, readCaller);
    const body = await readBody(c, schema);
    const sent = body.credential ?? body.credential_response;
    if (!sent) throw refuse.validation('credential is required');
    const { userId } = person;
    const challenge = await db.transaction((tx) =>
      takeChallenge(tx, { kind: 'registration', userId, id: body.challenge_id, now: clock() }),
    );
    if (challenge instanceof AuthRefusal) throw challenge;
    const credential = await readRegistration(config.relyingParty, sent, challenge, 'key');
    if (credential === null) throw notVerified();
    const row = await db
      .transaction((tx) => store(tx, userId, credential, c.var.ip))
      .catch((error: unknown) => {
        if (error instanceof DatabaseError && error.code === '23505')
          throw new AuthRefusal(422, 'webauthn_credential_exists', 'This credential is already registered');
        throw error;
      });
    return c.json(toPasskey(row));
  };
}
