import { withRollback } from '#server/db/roll-back.ts';
import { accountChangedMail } from '#server/mails/account/account-changed.ts';
import { currentAddressMail } from '#server/mails/account/current-address.ts';
import { emailChangeMail } from '#server/mails/account/email-change.ts';
import { emailReplacedMail } from '#server/mails/account/email-replaced.ts';
import { emailUndoneMail } from '#server/mails/account/email-undone.ts';
import { accountExistsMail } from '#server/mails/account/exists.ts';
import { invitationMail } from '#server/mails/account/invitation.ts';
import { passwordChangedMail } from '#server/mails/account/password-changed.ts';
import { reauthenticationMail } from '#server/mails/account/reauthentication.ts';
import { recoveryMail } from '#server/mails/account/recovery.ts';
import { signInMail } from '#server/mails/account/sign-in.ts';
import { signUpMail } from '#server/mails/account/signup.ts';
import { codeTextMessage } from '#server/mails/account/text-message.ts';
import { lockJob } from '#server/queue/jobs.ts';
import { type UserRow, userByEmail, userById, userByPhone } from '../accounts/users.ts';
import { activateUndo, isReserved, undoLink } from './replaced-emails.ts';
import type { MessageKind, TokenKind } from '../core/message-queue.ts';
import { enableToken } from './enable-token.ts';
import { mailedLink } from './link-page.ts';
import type { Message, MessageContent } from './messages.ts';
import { deriveCode, deriveLinkToken } from './one-time-codes.ts';
import type { AuthContext } from '../core/context.ts';

type Rendered = Promise<MessageContent | null>;

/** Renders a message and activates its code. Returns null if it no longer has a recipient or a purpose. */
export function renderMessage(context: AuthContext, message: Message): Rendered {
  return message.email === null
    ? renderText(context, message, message.phone ?? '')
    : renderMail(context, message, message.email);
}

async function renderMail(context: AuthContext, message: Message, email: string): Rendered {
  const user = await (message.userId === null ? userByEmail(context.db, email) : userById(context.db, message.userId));
  switch (message.kind) {
    case 'signup':
      return !user || user.email_confirmed_at ? null : renderSignUp(context, message, user);
    case 'invite':
      return !user || user.email_confirmed_at ? null : renderInvitation(context, message, user);
    case 'otp':
      if (!user) return renderReplaced(context, { email });
      // SSO users can sign in only through their organisation, which can then end their access.
      if (user.is_sso_user) return null;
      return user.email_confirmed_at ? renderSignIn(context, message, user) : renderSignUp(context, message, user);
    case 'recovery':
      if (!user) return renderReplaced(context, { email });
      return user.is_sso_user ? null : renderRecovery(context, message, user);
    case 'email_change':
      return user?.email_change === email ? renderEmailChange(context, message, user) : null;
    case 'email_change_current':
      return user?.email === email ? renderCurrentAddress(context, message, user) : null;
    case 'reauthentication':
      return user && renderReauthentication(context, message, user);
    case 'account_exists':
      // A reserved address has no account, but its owner may want it back.
      return user ? renderExists(context) : renderReplaced(context, { email });
    case 'password_changed':
      return mail(passwordChangedMail(context.letterhead(), { at: message.requestedAt, href: signInPage(context) }));
    case 'account_changed':
      return renderChange(context, message);
    case 'email_replaced':
      return renderReplaced(context, { id: message.id });
    case 'email_undone':
      return mail(emailUndoneMail(context.letterhead(), { at: message.requestedAt }));
    default:
      return null;
  }
}

function renderExists(context: AuthContext): MessageContent {
  return mail(accountExistsMail(context.letterhead(), { href: signInPage(context) }));
}

function renderChange(context: AuthContext, { change, requestedAt }: Message): MessageContent | null {
  return change === null
    ? null
    : mail(accountChangedMail(context.letterhead(), { change, at: requestedAt, href: signInPage(context) }));
}

/** Renders the mail to an address that was replaced and activates its link. Returns null if the change can no longer be undone. */
async function renderReplaced(context: AuthContext, which: { id: string } | { email: string }): Rendered {
  const replaced = await activateUndo(context, which);
  if (replaced === null) return null;
  const href = undoLink(context, replaced.id);
  return mail(emailReplacedMail(context.letterhead(), { at: replaced.replacedAt, until: replaced.expiresAt, href }));
}

async function renderSignUp(context: AuthContext, message: Message, user: UserRow): Rendered {
  if (!(await enableCode(context, message, 'signup', user))) return null;
  return mail(signUpMail(context.letterhead(), codeData(context, message, 'signup')));
}

async function renderInvitation(context: AuthContext, message: Message, user: UserRow): Rendered {
  if (!(await enableCode(context, message, 'invite', user))) return null;
  return mail(invitationMail(context.letterhead(), codeData(context, message, 'invite')));
}

async function renderSignIn(context: AuthContext, message: Message, user: UserRow): Rendered {
  if (!(await enableCode(context, message, 'magiclink', user))) return null;
  return mail(signInMail(context.letterhead(), codeData(context, message, 'magiclink')));
}

async function renderRecovery(context: AuthContext, message: Message, user: UserRow): Rendered {
  if (!(await enableCode(context, message, 'recovery', user))) return null;
  await context.db.query(`update auth.users set recovery_sent_at = $2::timestamptz where id = $1::uuid`, [
    user.id,
    context.clock(),
  ]);
  return mail(recoveryMail(context.letterhead(), codeData(context, message, 'recovery')));
}

async function renderEmailChange(context: AuthContext, message: Message, user: UserRow): Rendered {
  // A taken address gets the same response as a free one. Only the owner of the address receives a mail about it.
  if (await userByEmail(context.db, message.email ?? '')) return renderExists(context);
  const address = { email: message.email ?? '', userId: user.id, now: context.clock() };
  if (await isReserved(context.db, address)) return renderReplaced(context, address);
  if (!(await enableCode(context, message, 'email_change', user))) return null;
  return mail(emailChangeMail(context.letterhead(), codeData(context, message, 'email_change')));
}

async function renderCurrentAddress(context: AuthContext, message: Message, user: UserRow): Rendered {
  const newAddress = user.email_change;
  if (newAddress === null || !(await enableCode(context, message, 'email_change_current', user))) return null;
  return mail(currentAddressMail(context.letterhead(), { ...codeData(context, message, 'email_change'), newAddress }));
}

async function renderReauthentication(context: AuthContext, message: Message, user: UserRow): Rendered {
  if (!(await enableCode(context, message, 'reauthentication', user))) return null;
  return mail(
    reauthenticationMail(context.letterhead(), {
      code: deriveCode(context, message.id),
      minutes: getCodeMinutes(context),
    }),
  );
}

const TEXT_TOKENS: Readonly<Partial<Record<MessageKind, TokenKind>>> = {
  otp: 'sms',
  sms: 'sms',
  phone_change: 'phone_change',
  reauthentication: 'reauthentication',
};

async function renderText(context: AuthContext, message: Message, phone: string): Rendered {
  const { db, config } = context;
  const user = await (message.userId === null ? userByPhone(db, phone) : userById(db, message.userId));
  const kind = TEXT_TOKENS[message.kind];
  if (!user || kind === undefined) return null;
  if (kind === 'phone_change' && (user.phone_change !== phone || (await userByPhone(db, phone)))) return null;
  if (!(await enableCode(context, message, kind, user))) return null;
  // Test phones have a fixed code and get no message.
  if (config.testCodes.has(phone)) return null;
  return {
    to: 'phone',
    text: codeTextMessage({
      from: config.relyingParty.name,
      code: deriveCode(context, message.id),
      minutes: getCodeMinutes(context),
    }),
  };
}

const mail = (content: { subject: string; html: string; text: string }): MessageContent => ({
  to: 'email',
  ...content,
});
const signInPage = ({ config }: AuthContext): string => `${config.siteUrl}/auth`;
const getCodeMinutes = ({ config }: AuthContext): number => Math.round(config.codeSeconds / 60);

/** The code and link of a mail. `kind`: the kind in the link. */
function codeData(
  context: AuthContext,
  message: Message,
  kind: TokenKind,
): { code: string; minutes: number; href: string } {
  return {
    code: deriveCode(context, message.id),
    minutes: getCodeMinutes(context),
    href: mailedLink(context.config.siteUrl, {
      kind,
      token: deriveLinkToken(context, message.id),
      redirectTo: message.redirectTo,
    }),
  };
}

/**
 * Activates the code of a message. Returns false when its job is gone: a new password or address has ended it, or its code was used. Locks
 * the token before the job, as the use of a code does, to avoid deadlocks.
 */
function enableCode(context: AuthContext, message: Message, kind: TokenKind, user: UserRow): Promise<boolean> {
  const { db, config } = context;
  const { id, email, phone, attemptId, requestedAt } = message;
  return withRollback(
    (work) => db.transaction(work),
    async (tx, rollBack) => {
      const enabled = await enableToken(context, tx, {
        messageId: id,
        userId: user.id,
        kind,
        attemptId,
        createdAt: requestedAt,
        ...(email === null ? { phone: phone ?? '', code: config.testCodes.get(phone ?? '') } : { email }),
      });
      if (!(await lockJob(tx, id))) throw rollBack(false);
      return enabled;
    },
  );
}
