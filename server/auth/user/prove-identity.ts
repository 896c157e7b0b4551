import { passwordMatches } from '../accounts/passwords.ts';
import type { UserRow } from '../accounts/users.ts';
import { useAccountCode } from '../codes/use-token.ts';
import { AuthRefusal } from '../core/errors.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import { readSession } from '../sessions/session-rows.ts';
import type { AuthContext } from '../core/context.ts';

/** Age of a session in seconds up to which it may change password and address without any other proof. */
const FRESH_SECONDS = 600;

/** The proof that the user gives; null for a missing part. `nonce`: a reauthentication code. */
type IdentityProof = { readonly currentPassword: string | null; readonly nonce: string | null };

/**
 * Requires a proof before a change of password, email or phone, and before the account is deleted: a young session, the current password,
 * or a code.
 */
export async function proveIdentity(
  context: AuthContext,
  user: UserRow,
  sessionId: string,
  proof: IdentityProof,
): Promise<void> {
  const { clock, db } = context;
  const session = await readSession(db, { sessionId, userId: user.id });
  if (session?.aal !== 'aal2' && user.factors.some((factor) => factor['status'] === 'verified'))
    throw new AuthRefusal(
      401,
      'insufficient_aal',
      'AAL2 session is required to update email or password when MFA is enabled.',
    );
  const { currentPassword, nonce } = proof;
  const age = session && clock().getTime() - session.created_at.getTime();
  if (nonce === null && age !== null && age <= FRESH_SECONDS * 1000) return;
  if (currentPassword === null && nonce === null) throw proofMissing(user);
  await takeLimit(context, authLimits.password, `user:${user.id}`);
  if (nonce !== null) return proveByCode(context, user, nonce);
  if (!(await passwordMatches(user.encrypted_password, currentPassword ?? '')))
    throw new AuthRefusal(400, 'current_password_invalid', 'Your current password is incorrect.');
}

/** Accounts of single sign-on and of other providers have no password that could be required. */
const proofMissing = (user: UserRow): AuthRefusal =>
  user.encrypted_password === null
    ? new AuthRefusal(
        400,
        'reauthentication_needed',
        'Your account has no password, and you signed in a while ago. Please sign in again first.',
      )
    : new AuthRefusal(400, 'current_password_required', 'Please enter your current password.');

async function proveByCode(context: AuthContext, user: UserRow, nonce: string): Promise<void> {
  const used = await context.db.transaction((tx) => useAccountCode(context, tx, user.id, nonce, ['reauthentication']));
  if (!used) throw new AuthRefusal(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid');
}
