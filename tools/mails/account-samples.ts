import * as accountChanged from '#server/mails/account/account-changed.ts';
import * as currentAddress from '#server/mails/account/current-address.ts';
import * as emailChange from '#server/mails/account/email-change.ts';
import * as emailReplaced from '#server/mails/account/email-replaced.ts';
import * as emailUndone from '#server/mails/account/email-undone.ts';
import * as exists from '#server/mails/account/exists.ts';
import * as invitation from '#server/mails/account/invitation.ts';
import * as passwordChanged from '#server/mails/account/password-changed.ts';
import * as reauthentication from '#server/mails/account/reauthentication.ts';
import * as recovery from '#server/mails/account/recovery.ts';
import * as signIn from '#server/mails/account/sign-in.ts';
import * as signUp from '#server/mails/account/signup.ts';
import * as textMessage from '#server/mails/account/text-message.ts';
import { at, from, long, type Rendered, render, SITE } from './sample.ts';

const TOKEN = `token_hash=pkce_${'4f8c'.repeat(14)}`;
const confirm = { code: '402917', minutes: 60, href: `${SITE}/email-verified?${TOKEN}&type=signup` };
const reset = { code: '402917', minutes: 60, href: `${SITE}/auth?reset=true&${TOKEN}&type=recovery` };
const newAddress = `olive.nguyen.with.a.long.address@${'mailprovider'.repeat(3)}.example`;

/** Renders what accounts get. */
export const accountMails = (): Rendered[] => [
  ...render(signUp, { signUpMail: { '': [from, confirm], long: [long.from, { ...confirm, code: '4029170358' }] } }),
  ...render(signIn, { signInMail: { '': [from, confirm] } }),
  ...render(recovery, { recoveryMail: { '': [from, reset] } }),
  ...render(invitation, { invitationMail: { '': [from, reset] } }),
  ...render(emailChange, { emailChangeMail: { '': [from, confirm] } }),
  ...render(currentAddress, { currentAddressMail: { '': [from, { ...confirm, newAddress }] } }),
  ...render(reauthentication, { reauthenticationMail: { '': [from, confirm] } }),
  ...render(exists, { accountExistsMail: { '': [from, { href: `${SITE}/auth` }] } }),
  ...render(passwordChanged, { passwordChangedMail: { '': [from, { at: at(-30.2), href: `${SITE}/auth` }] } }),
  ...render(accountChanged, {
    accountChangedMail: Object.fromEntries(
      accountChanged.ACCOUNT_CHANGES.map((change) => [change, [from, { change, at: at(-30.2), href: `${SITE}/auth` }]]),
    ),
  }),
  ...render(emailReplaced, {
    emailReplacedMail: { '': [from, { at: at(-30.2), until: at(41.8), href: `${SITE}/undo-email?${TOKEN}` }] },
  }),
  ...render(emailUndone, { emailUndoneMail: { '': [from, { at: at(-30.2) }] } }),
  ...render(textMessage, { codeTextMessage: { '': [{ from: from.name, code: '402917', minutes: 60 }] } }),
];
