import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isPlain, NOT_PLAIN } from '#rules/people.ts';
import type { Transaction } from '#server/db/database.ts';
import { lockUser, type UserRow, userById } from '../accounts/users.ts';
import { recordEvent } from '../core/audit-log.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Call, readBody, requireUser, type SignedInUser } from '../core/request.ts';
import { readSession } from '../sessions/session-rows.ts';
import { factorNames, type FactorRow, readFactors, type FactorType, factorTypes } from './factor-rows.ts';
import { totpEncryption } from './totp-secrets.ts';
import { makeTotp } from './totp.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({
  friendly_name: z.string().trim().max(100).refine(isPlain, NOT_PLAIN).nullish(),
  factor_type: z.string().max(32).nullish(),
  issuer: z.string().trim().max(100).nullish(),
  phone: z.string().max(32).nullish(),
});
type Body = z.output<typeof schema>;
type EnrolForm = {
  readonly type: FactorType;
  readonly name: string;
  readonly issuer: string | null;
  readonly phone: string | null;
};
/** Age from which an unverified factor counts as abandoned, so that its name is free again. */
const ABANDONED_SECONDS = 300;
const E164 = /^\+?[1-9]\d{6,14}$/;
const isType = (text: string): text is FactorType => factorTypes.some((type) => type === text);

/** `POST /factors`: creates an unverified factor. Once an account has a verified one, only an aal2 session may add more. */
export async function enrolFactor(context: AuthContext, c: Call): Promise<Response> {
  const caller = await requireUser(context, c);
  const form = readForm(context, await readBody(c, schema));
  const factor = await context.db.transaction(async (tx) => {
    // With the account locked, concurrent enrolments cannot exceed the maximum.
    await lockUser(tx, caller.userId);
    const user = await userById(tx, caller.userId);
    if (!user) throw refuse.noSession();
    await deleteAbandoned(tx, user.id, form, context.clock());
    const existing = await readFactors(tx, user.id);
    checkUnique(existing, form, context.config.factors.max);
    await checkAssurance(tx, caller, existing);
    return insertFactor(context, tx, user, form, c.var.ip);
  });
  return c.json(factor);
}

function readForm({ config }: AuthContext, body: Body): EnrolForm {
  const type = body.factor_type ?? '';
  if (!isType(type)) throw refuse.validation('factor_type needs to be totp, phone, or webauthn');
  if (!config.factors[type])
    throw new AuthRefusal(422, `mfa_${type}_enroll_not_enabled`, `MFA enroll is disabled for ${factorNames[type]}`);
  const phone = type === 'phone' ? readFactorPhone(body.phone ?? '') : null;
  return { type, name: body.friendly_name ?? '', issuer: body.issuer || null, phone };
}

function readFactorPhone(text: string): string {
  if (text === '') throw refuse.validation('Phone number required to enroll Phone factor');
  const digits = text.replace(/[\s()-]/g, '');
  if (!E164.test(digits)) throw refuse.phone();
  return digits.replace(/^\+/, '');
}

/** Deletes abandoned factors, and unverified ones with the same phone. */
async function deleteAbandoned(tx: Transaction, userId: string, form: EnrolForm, now: Date): Promise<void> {
  const abandonedBefore = new Date(now.getTime() - ABANDONED_SECONDS * 1000);
  await tx.query(
    `delete from auth.mfa_factors where user_id = $1::uuid and status = 'unverified' and (created_at < $2::timestamptz or phone = $3)`,
    [userId, abandonedBefore, form.phone],
  );
}

function checkUnique(existing: readonly FactorRow[], form: EnrolForm, max: number): void {
  if (form.phone !== null && existing.some((factor) => factor.phone === form.phone))
    throw new AuthRefusal(
      422,
      'mfa_verified_factor_exists',
      'A verified phone factor already exists, unenroll the existing factor to continue',
    );
  if (existing.some((factor) => factor.friendly_name === form.name))
    throw new AuthRefusal(
      422,
      'mfa_factor_name_conflict',
      `A factor with the friendly name ${JSON.stringify(form.name)} for this user already exists`,
    );
  if (existing.length >= max)
    throw new AuthRefusal(
      422,
      'too_many_enrolled_mfa_factors',
      'Maximum number of verified factors reached, unenroll to continue',
    );
}

async function checkAssurance(tx: Transaction, caller: SignedInUser, existing: readonly FactorRow[]): Promise<void> {
  const session = await readSession(tx, caller);
  if (session === null) throw refuse.noSession();
  if (session.aal !== 'aal2' && existing.some((factor) => factor.status === 'verified'))
    throw new AuthRefusal(403, 'insufficient_aal', 'AAL2 required to enroll a new factor');
}

/** Stores the factor and returns it in the API's form. */
async function insertFactor(
  context: AuthContext,
  tx: Transaction,
  user: UserRow,
  { type, name, issuer, phone }: EnrolForm,
  ip: string,
): Promise<Record<string, unknown>> {
  const { clock, config } = context;
  const id = randomUUID();
  const accountName = user.email || user.id;
  const totp = type === 'totp' ? makeTotp(issuer ?? new URL(config.siteUrl).host, accountName) : null;
  const secret = totp && totpEncryption(context).encrypt(totp.secret, id);
  const at = clock();
  await tx.query(
    `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, secret, phone, created_at, updated_at)
     values ($1::uuid, $2::uuid, $3, $4, $5, $6, $7::timestamptz, $7::timestamptz)`,
    [id, user.id, name, type, secret, phone, at],
  );
  const details = { factor_id: id, factor_type: type };
  await recordEvent(tx, { action: 'factor_in_progress', actorId: user.id, at, ip, details });
  return { id, type, friendly_name: name, ...(totp && { totp }), ...(phone === null ? {} : { phone }) };
}
