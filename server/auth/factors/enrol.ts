import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { createEncryption } from '#server/crypto/encryption.ts';
import { type UserRow, userById } from '../accounts/users.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Handler, type Person, readBody, readPerson } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { assuranceOf, factorNames, factorsOf, factorTypes, type FactorType } from './factor-rows.ts';
import { makeTotp } from './totp.ts';

const schema = z.object({
  friendly_name: z.string().trim().max(100).nullish(),
  factor_type: z.string().max(32).nullish(),
  issuer: z.string().trim().max(100).nullish(),
  phone: z.string().max(32).nullish(),
});
type Form = { type: FactorType; name: string; issuer: string | null; phone: string | null };

/** An unverified factor this old counts as abandoned, and its name is free again. */
const ABANDONED_SECONDS = 300;
const E164 = /^\+?[1-9]\d{6,14}$/;
const isType = (text: string): text is FactorType => factorTypes.some((type) => type === text);
export const TOTP_SECRET = 'totp-secret';

/** `POST /factors`: creates an unverified factor. Once an account has a verified one, only an aal2 session may add more. */
export function createEnrol(context: AuthContext): Handler {
  const { db, clock, config, keys, readCaller } = context;
  const encryption = createEncryption(keys.derive(TOTP_SECRET));

  async function checkAllowed(tx: Transaction, person: Person, form: Form): Promise<void> {
    const abandonedBefore = new Date(clock().getTime() - ABANDONED_SECONDS * 1000);
    await tx.query(
      `delete from auth.mfa_factors where user_id = $1::uuid and status = 'unverified' and (created_at < $2::timestamptz or phone = $3)`,
      [person.userId, abandonedBefore, form.phone],
    );
    const existing = await factorsOf(tx, person.userId);
    if (form.phone !== null && existing.some((one) => one.phone === form.phone))
      throw new AuthRefusal(
        422,
        'mfa_verified_factor_exists',
        'A verified phone factor already exists, unenroll the existing factor to continue',
      );
    if (existing.some((one) => one.friendly_name === form.name))
      throw new AuthRefusal(
        422,
        'mfa_factor_name_conflict',
        `A factor with the friendly name ${JSON.stringify(form.name)} for this user already exists`,
      );
    if (existing.length >= config.factors.max)
      throw new AuthRefusal(
        422,
        'too_many_enrolled_mfa_factors',
        'Maximum number of verified factors reached, unenroll to continue',
      );
    const aal = await assuranceOf(tx, person);
    if (aal === null) throw refuse.noSession();
    if (aal !== 'aal2' && existing.some((one) => one.status === 'verified'))
      throw new AuthRefusal(403, 'insufficient_aal', 'AAL2 required to enroll a new factor');
  }

  async function write(tx: Transaction, user: UserRow, form: Form, ip: string): Promise<Record<string, unknown>> {
    const { id } = (await tx.one<{ id: string }>('select gen_random_uuid() as id')) ?? { id: '' };
    const totp = form.type === 'totp' ? makeTotp(form.issuer ?? new URL(config.siteUrl).host, nameOf(user)) : null;
    const now = clock();
    await tx.query(
      `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, secret, phone, created_at, updated_at)
       values ($1::uuid, $2::uuid, $3, $4, $5, $6, $7::timestamptz, $7::timestamptz)`,
      [id, user.id, form.name, form.type, totp && encryption.encrypt(totp.secret, id), form.phone, now],
    );
    await record(tx, {
      action: 'factor_in_progress',
      actorId: user.id,
      at: now,
      ip,
      details: { factor_id: id, factor_type: form.type },
    });
    return {
      id,
      type: form.type,
      friendly_name: form.name,
      ...(totp && { totp }),
      ...(form.phone === null ? {} : { phone: form.phone }),
    };
  }

  return async (c) => {
    const person = await readPerson(c, readCaller);
    const body = await readBody(c, schema);
    const type = body.factor_type ?? '';
    if (!isType(type)) throw refuse.validation('factor_type needs to be totp, phone, or webauthn');
    if (!config.factors[type])
      throw refuse.disabled(422, `mfa_${type}_enroll_not_enabled`, `MFA enroll is disabled for ${factorNames[type]}`);
    const form = { type, name: body.friendly_name ?? '', issuer: body.issuer || null, phone: readPhone(type, body) };
    const answer = await db.transaction(async (tx) => {
      // Lock the account, so that concurrent enrolments cannot exceed the maximum.
      await tx.one('select 1 from auth.users where id = $1::uuid for update', [person.userId]);
      const user = await userById(tx, person.userId);
      if (!user) throw refuse.noSession();
      await checkAllowed(tx, person, form);
      return write(tx, user, form, c.var.ip);
    });
    return c.json(answer);
  };
}

/** The account name that an authenticator app shows. */
function nameOf(user: UserRow): string {
  return user.email || user.id;
}

function readPhone(type: FactorType, body: z.output<typeof schema>): string | null {
  if (type !== 'phone') return null;
  if (!body.phone) throw refuse.validation('Phone number required to enroll Phone factor');
  const digits = body.phone.replace(/[\s()-]/g, '');
  if (!E164.test(digits)) throw refuse.validation('Invalid phone number format (E.164 required)');
  return digits.replace(/^\+/, '');
}
