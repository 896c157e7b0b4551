import type { Keys } from '#server/crypto/keys.ts';
import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import { currentAddressMail } from '#server/mails/account-current-address.ts';
import { emailChangeMail } from '#server/mails/account-email-change.ts';
import { accountExistsMail } from '#server/mails/account-exists.ts';
import { invitationMail } from '#server/mails/account-invitation.ts';
import { passwordChangedMail } from '#server/mails/account-password-changed.ts';
import { reauthenticationMail } from '#server/mails/account-reauthentication.ts';
import { recoveryMail } from '#server/mails/account-recovery.ts';
import { signInMail } from '#server/mails/account-sign-in.ts';
import { signUpMail } from '#server/mails/account-signup.ts';
import { codeTextMessage } from '#server/mails/account-text-message.ts';
import type { AuthConfig } from '../core/config.ts';
import { type UserRow, userByEmail, userById, userByPhone } from '../accounts/users.ts';
import type { MessageKind, TokenKind } from '../core/message-queue.ts';
import { enableToken } from './enable-token.ts';
import { mailedLink } from './link-page.ts';
import { codeOf, linkTokenOf } from './one-time-codes.ts';

export type QueuedMessage = {
  id: string;
  kind: MessageKind;
  email: string | null;
  phone: string | null;
  user_id: string | null;
  attempt_id: string | null;
  tries: number;
  created_at: Date;
  redirect_to: string | null;
};
export type Message =
  | { readonly to: 'email'; readonly subject: string; readonly html: string; readonly text: string }
  | { readonly to: 'phone'; readonly text: string };

/** Creates the function that renders a queued message. It returns null when the message has no recipient or no purpose any more. */
export function createMessageTemplates(dependencies: {
  db: Database;
  keys: Keys;
  clock: Clock;
  config: AuthConfig;
}): (row: QueuedMessage) => Promise<Message | null> {
  const { db, clock, config } = dependencies;
  const minutes = Math.round(config.codeSeconds / 60);

  const codeData = (row: QueuedMessage, kind: TokenKind): { code: string; minutes: number; href: string } => ({
    code: codeOf(dependencies, row.id),
    minutes,
    href: mailedLink(config.siteUrl, {
      kind: kind === 'email_change_current' ? 'email_change' : kind,
      token: linkTokenOf(dependencies, row.id),
      redirectTo: row.redirect_to,
    }),
  });
  /**
   * Activates the code of a message. Returns false when its row is gone: a new password or address has ended it, or its code was used.
   * Locks the row after the token, in the same order as code use.
   */
  const enable = async (row: QueuedMessage, kind: TokenKind, user: UserRow): Promise<boolean> => {
    const ended = new Error('the message is no longer in the queue');
    const enabled = db.transaction(async (tx) => {
      const written = await enableToken(dependencies, tx, {
        messageId: row.id,
        userId: user.id,
        kind,
        attemptId: row.attempt_id,
        createdAt: row.created_at,
        ...(row.email === null
          ? { phone: row.phone ?? '', code: config.testCodes.get(row.phone ?? '') }
          : { email: row.email }),
      });
      const queued = await tx.one('select 1 from auth.message_queue where id = $1::uuid for update', [row.id]);
      if (queued === null) throw ended;
      return written;
    });
    return enabled.catch((error: unknown) => {
      if (error === ended) return false;
      throw error;
    });
  };
  const mail = (message: { subject: string; html: string; text: string }): Message => ({ to: 'email', ...message });

  async function forAddress(row: QueuedMessage, email: string): Promise<Message | null> {
    const user = row.user_id === null ? await userByEmail(db, email) : await userById(db, row.user_id);
    switch (row.kind) {
      case 'signup':
        if (!user || user.email_confirmed_at || !(await enable(row, 'signup', user))) return null;
        return mail(signUpMail(codeData(row, 'signup')));
      case 'invite':
        if (!user || user.email_confirmed_at || !(await enable(row, 'invite', user))) return null;
        return mail(invitationMail(codeData(row, 'invite')));
      case 'otp': {
        // SSO users can sign in only through their organisation, which can then end their access.
        if (!user || user.is_sso_user) return null;
        const kind = user.email_confirmed_at ? 'magiclink' : 'signup';
        if (!(await enable(row, kind, user))) return null;
        return mail(kind === 'signup' ? signUpMail(codeData(row, kind)) : signInMail(codeData(row, kind)));
      }
      case 'recovery':
        if (!user || user.is_sso_user || !(await enable(row, 'recovery', user))) return null;
        await db.query(`update auth.users set recovery_sent_at = $2::timestamptz where id = $1::uuid`, [
          user.id,
          clock(),
        ]);
        return mail(recoveryMail(codeData(row, 'recovery')));
      case 'email_change':
        if (user?.email_change !== email) return null;
        // A taken address gets the same response as a free one. Only its owner is told, by mail.
        if (await userByEmail(db, email)) return mail(accountExistsMail({ href: `${config.siteUrl}/auth` }));
        if (!(await enable(row, 'email_change', user))) return null;
        return mail(emailChangeMail(codeData(row, 'email_change')));
      case 'email_change_current':
        if (user?.email !== email || user.email_change === null) return null;
        if (!(await enable(row, 'email_change_current', user))) return null;
        return mail(currentAddressMail({ ...codeData(row, 'email_change_current'), newAddress: user.email_change }));
      case 'reauthentication':
        if (!user || !(await enable(row, 'reauthentication', user))) return null;
        return mail(reauthenticationMail({ code: codeOf(dependencies, row.id), minutes }));
      case 'account_exists':
        return mail(accountExistsMail({ href: `${config.siteUrl}/auth` }));
      case 'password_changed':
        return mail(passwordChangedMail());
      default:
        return null;
    }
  }

  async function forPhone(row: QueuedMessage, phone: string): Promise<Message | null> {
    const user = row.user_id === null ? await userByPhone(db, phone) : await userById(db, row.user_id);
    const kind: TokenKind | null =
      row.kind === 'otp' || row.kind === 'sms'
        ? 'sms'
        : row.kind === 'phone_change' || row.kind === 'reauthentication'
          ? row.kind
          : null;
    if (!user || kind === null) return null;
    if (kind === 'phone_change' && (user.phone_change !== phone || (await userByPhone(db, phone)))) return null;
    if (!(await enable(row, kind, user))) return null;
    // Test phones have a fixed code and get no message.
    return config.testCodes.has(phone)
      ? null
      : { to: 'phone', text: codeTextMessage({ code: codeOf(dependencies, row.id), minutes }) };
  }

  return (row) => (row.email === null ? forPhone(row, row.phone ?? '') : forAddress(row, row.email));
}
