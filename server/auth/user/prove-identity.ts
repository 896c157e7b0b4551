import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { passwordFits } from '../accounts/passwords.ts';
import type { UserRow } from '../accounts/users.ts';

/** The refusal of changes to an account that an organisation manages. */
export const ssoManaged = (message: string): AuthRefusal => new AuthRefusal(422, 'user_sso_managed', message);

/** A session this young may change password and address without any other proof. */
const FRESH_SECONDS = 600;

/** Creates the check before a change of password, email or phone: a young session, the current password, or a code. */
export function createProveIdentity(
  context: AuthContext,
): (
  user: UserRow,
  sessionId: string,
  proof: { currentPassword: string | null; nonce: string | null },
) => Promise<void> {
  const { clock, db, limits, tokens } = context;
  return async (user, sessionId, { currentPassword, nonce }) => {
    if (user.is_sso_user) throw ssoManaged('Updating email, phone, password of a SSO account only possible via SSO');
    const session = await db.one<{ created_at: Date; aal: string }>(
      'select created_at, aal from auth.sessions where id = $1::uuid',
      [sessionId],
    );
    if (session?.aal !== 'aal2' && user.factors.some((factor) => factor['status'] === 'verified'))
      throw new AuthRefusal(
        401,
        'insufficient_aal',
        'AAL2 session is required to update email or password when MFA is enabled.',
      );
    if (nonce === null && session && clock().getTime() - session.created_at.getTime() <= FRESH_SECONDS * 1000) return;
    if (currentPassword === null && nonce === null)
      throw new AuthRefusal(400, 'current_password_required', 'Please enter your current password.');
    const wait = await limits(authLimits.password, `user:${user.id}`);
    if (wait !== null) throw refuse.rate(wait);
    if (nonce !== null) {
      const used = await db.transaction((tx) => tokens.useCodeOf(tx, user.id, nonce, ['reauthentication']));
      if (!used) throw new AuthRefusal(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid');
    } else if (!(await passwordFits(user.encrypted_password, currentPassword ?? '')))
      throw new AuthRefusal(400, 'current_password_invalid', 'Your current password is not right.');
  };
}
