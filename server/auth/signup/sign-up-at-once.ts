import type { AuthContext } from '../core/context.ts';
import { AuthRefusal } from '../core/errors.ts';
import type { RequestInfo } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { userById } from '../accounts/users.ts';
import type { SignUpForm } from './sign-up-by-code.ts';

/** Creates the sign-up with autoconfirm: an account and a session at once. A taken email or phone is refused openly. */
export function createConfirmedSignUp(
  context: AuthContext,
): (form: SignUpForm, request: RequestInfo) => Promise<Record<string, unknown>> {
  const { clock, db, sessions } = context;
  return async ({ contact, password, data }, request) => {
    const hash = await hashPassword(password);
    const now = clock();
    const what = 'email' in contact ? 'email' : 'phone';
    const begun = await db.transaction(async (tx) => {
      const row = await tx.one<{ id: string }>(
        what === 'email'
          ? `insert into auth.users (email, encrypted_password, raw_user_meta_data, email_confirmed_at, raw_app_meta_data, created_at)
             values ($1, $2, $3::jsonb, $4::timestamptz, $5::jsonb, $4::timestamptz)
             on conflict (email) where deleted_at is null do nothing returning id`
          : `insert into auth.users (phone, encrypted_password, raw_user_meta_data, phone_confirmed_at, raw_app_meta_data, created_at)
             values ($1, $2, $3::jsonb, $4::timestamptz, $5::jsonb, $4::timestamptz)
             on conflict (phone) where deleted_at is null do nothing returning id`,
        ['email' in contact ? contact.email : contact.phone, hash, data, now, { provider: what, providers: [what] }],
      );
      const user = row && (await userById(tx, row.id));
      if (!user) throw new AuthRefusal(422, 'user_already_exists', 'User already registered');
      await record(tx, { action: 'user_signedup', actorId: user.id, at: now, ip: request.ip });
      return sessions.beginIn(tx, user, 'password', request);
    });
    return begun.answer;
  };
}
