import type { AuthContext } from '../core/context.ts';
import { AuthRefusal } from '../core/errors.ts';
import type { From } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { userById } from '../accounts/users.ts';
import type { SignUpForm } from './sign-up-by-code.ts';

/** With autoconfirm: an account and its session at once, and a taken address is told. */
export function createConfirmedSignUp(
  parts: AuthContext,
): (form: SignUpForm, from: From) => Promise<Record<string, unknown>> {
  const { clock, db, sessions } = parts;
  return async ({ way, password, data }, from) => {
    const hash = await hashPassword(password);
    const now = clock();
    const what = 'email' in way ? 'email' : 'phone';
    const begun = await db.transaction(async (tx) => {
      const row = await tx.one<{ id: string }>(
        what === 'email'
          ? `insert into auth.users (email, encrypted_password, raw_user_meta_data, email_confirmed_at, raw_app_meta_data, created_at)
             values ($1, $2, $3::jsonb, $4::timestamptz, $5::jsonb, $4::timestamptz)
             on conflict (email) where deleted_at is null do nothing returning id`
          : `insert into auth.users (phone, encrypted_password, raw_user_meta_data, phone_confirmed_at, raw_app_meta_data, created_at)
             values ($1, $2, $3::jsonb, $4::timestamptz, $5::jsonb, $4::timestamptz)
             on conflict (phone) where deleted_at is null do nothing returning id`,
        ['email' in way ? way.email : way.phone, hash, data, now, { provider: what, providers: [what] }],
      );
      const user = row && (await userById(tx, row.id));
      if (!user) throw new AuthRefusal(422, 'user_already_exists', 'User already registered');
      await record(tx, { action: 'user_signedup', actorId: user.id, at: now, ip: from.ip });
      return sessions.beginIn(tx, user, 'password', from);
    });
    return begun.answer;
  };
}
