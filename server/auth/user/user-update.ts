import { z } from 'zod';
import { checkMetadata } from '../accounts/metadata.ts';
import { checkPassword } from '../accounts/password-rules.ts';
import { hashPassword, passwordMatches } from '../accounts/passwords.ts';
import { toUser } from '../accounts/user-object.ts';
import { type UserRow, userById } from '../accounts/users.ts';
import { takeMessageLimit } from '../codes/message-limits.ts';
import { readEmail, readPhone } from '../core/contact.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Call, readBody, requireUser } from '../core/request.ts';
import { applyChanges } from './apply-changes.ts';
import { proveIdentity } from './prove-identity.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().max(1_024).nullish(),
  current_password: z.string().max(1_024).nullish(),
  nonce: z.string().max(64).nullish(),
  data: z.record(z.string(), z.unknown()).nullish(),
});
type Body = z.output<typeof schema>;
/** The requested changes. Null means no change. */
type Requested = { readonly password: string | null; readonly email: string | null; readonly phone: string | null };

/**
 * `PUT /user`: changes the account. A new password ends the other sessions, a new email or phone must be confirmed with the code sent to
 * it, and metadata grants no rights.
 */
export async function updateUser(context: AuthContext, c: Call): Promise<Response> {
  const caller = await requireUser(context, c);
  const body = await readBody(c, schema);
  const { ip } = c.var;
  const user = await userById(context.db, caller.userId);
  if (!user) throw refuse.noSession();
  const { password, email, phone } = readChanges(context, user, body);
  if (password !== null || email !== null || phone !== null) {
    if (user.is_sso_user)
      throw refuse.ssoManaged('Updating email, phone, password of a SSO account only possible via SSO');
    await proveIdentity(context, user, caller.sessionId, {
      currentPassword: body.current_password ?? null,
      nonce: body.nonce ?? null,
    });
  }
  const hash = password === null ? null : await hashNewPassword(context, user, password);
  if (email !== null) await takeMessageLimit(context, { email, kind: 'email_change', ip });
  if (phone !== null) await takeMessageLimit(context, { phone, kind: 'phone_change', ip });
  const changed = await applyChanges(context, user, caller, { hash, email, phone, data: body.data ?? null, ip });
  if (!changed) throw refuse.noSession();
  return c.json(toUser(changed));
}

function readChanges({ config }: AuthContext, user: UserRow, body: Body): Requested {
  if (body.phone && !config.phoneEnabled) throw refuse.phoneDisabled('Phone logins are disabled');
  if (body.data) checkMetadata(body.data, user.raw_user_meta_data);
  const email = body.email ? readEmail(body.email) : user.email;
  const phone = body.phone ? readPhone(body.phone) : user.phone;
  const requested = {
    password: body.password ?? null,
    email: email === user.email ? null : email,
    phone: phone === user.phone ? null : phone,
  };
  if (requested.password !== null && user.is_anonymous && requested.email === null && requested.phone === null)
    throw new AuthRefusal(
      422,
      'validation_failed',
      'Updating password of an anonymous user without an email or phone is not allowed',
    );
  return requested;
}

async function hashNewPassword(rules: AuthContext, user: UserRow, password: string): Promise<string> {
  checkPassword(rules, password);
  if (await passwordMatches(user.encrypted_password, password))
    throw new AuthRefusal(422, 'same_password', 'New password should be different from the old password.');
  return hashPassword(password);
}
