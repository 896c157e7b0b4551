import type { Transaction } from '#server/db/database.ts';
import { addSignUpAttempt } from '../accounts/sign-up-attempts.ts';
import { type UserRow, userByEmail } from '../accounts/users.ts';
import { readEmail } from '../core/contact.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import type { TokenKind } from '../core/message-queue.ts';
import { storeEmailChange } from '../verify/email-change.ts';
import { inviteUser } from './invite.ts';
import type { AuthContext } from '../core/context.ts';

/** A request for a link. `newEmail`: the new address of an email change, as the client sent it. */
export type LinkForm = {
  readonly type: string;
  readonly email: string;
  readonly data: Record<string, unknown> | null;
  readonly newEmail: string;
};
/** The account of a link, the kind and recipient of its code, and the `type` that verifies it. */
export type LinkAccount = {
  readonly user: UserRow;
  readonly kind: TokenKind;
  readonly type: string;
  readonly email: string;
  /** The sign-up attempt that the code confirms. */
  readonly attemptId: string | null;
};
/** Finds, creates or changes the account that a link is for. `hash`: the password of a new account. */
export async function prepareAccount(
  context: AuthContext,
  tx: Transaction,
  form: LinkForm,
  hash: string | null,
): Promise<LinkAccount> {
  const { type, email } = form;
  switch (type) {
    case 'signup':
      return signUp(context, tx, form, hash);
    case 'invite': {
      const user = await inviteUser(tx, { email, data: form.data, at: context.clock() });
      return { user, kind: 'invite', type, email, attemptId: null };
    }
    case 'magiclink': {
      const user = await userByEmail(tx, email);
      if (user?.email_confirmed_at) return { user, kind: 'magiclink', type, email, attemptId: null };
      // As in Supabase Auth: a magic link for a new address confirms a new account.
      return signUp(context, tx, form, null);
    }
    case 'recovery':
      return { user: await existingUser(tx, email), kind: 'recovery', type, email, attemptId: null };
    case 'email_change_new':
      return changeEmail(context, tx, form, 'email_change');
    case 'email_change_current':
      return changeEmail(context, tx, form, 'email_change_current');
    default:
      throw refuse.validation(`Invalid email action link type requested: ${type}`);
  }
}

async function signUp(
  { clock }: AuthContext,
  tx: Transaction,
  { email, data }: LinkForm,
  hash: string | null,
): Promise<LinkAccount> {
  const at = clock();
  const user = await inviteUser(tx, { email, data, at });
  await tx.query('update auth.users set invited_at = null where id = $1::uuid', [user.id]);
  const attempt = { userId: user.id, passwordHash: hash, data: data ?? user.raw_user_meta_data, ip: 'service', at };
  const attemptId = await addSignUpAttempt(tx, attempt);
  return { user: { ...user, invited_at: null }, kind: 'signup', type: 'signup', email, attemptId };
}

async function existingUser(tx: Transaction, email: string): Promise<UserRow> {
  const user = await userByEmail(tx, email);
  if (!user) throw new AuthRefusal(404, 'user_not_found', 'User with this email not found');
  return user;
}

async function changeEmail(
  { clock, config }: AuthContext,
  tx: Transaction,
  form: LinkForm,
  kind: 'email_change' | 'email_change_current',
): Promise<LinkAccount> {
  const user = await existingUser(tx, form.email);
  const both = config.doubleConfirm;
  if (kind === 'email_change_current' && !both)
    throw refuse.validation('Enable secure email change to generate link for current email');
  const newEmail = readRequiredEmail(form.newEmail);
  if (await userByEmail(tx, newEmail)) throw refuse.emailExists();
  const at = clock();
  await storeEmailChange(tx, { userId: user.id, newEmail, both, restart: user.email_change !== newEmail, at });
  return {
    user: { ...user, email_change: newEmail, email_change_sent_at: at },
    kind,
    type: 'email_change',
    email: kind === 'email_change' ? newEmail : form.email,
    attemptId: null,
  };
}

/** Reads an email address. Throws if it is missing or invalid. */
export function readRequiredEmail(email: string): string {
  if (email === '') throw refuse.validation('An email address is required');
  return readEmail(email);
}
