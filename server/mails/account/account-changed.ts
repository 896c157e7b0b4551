import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { type Letterhead, type Mail, renderMail, sentence, writeTo } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/** Changes of an account that are mailed to its address, apart from those of the password and the address. Database triggers use these names. */
export const ACCOUNT_CHANGES = [
  'password_removed',
  'phone_added',
  'phone_changed',
  'phone_removed',
  'factor_added',
  'factor_changed',
  'factor_removed',
  'passkey_added',
  'passkey_removed',
  'identity_added',
  'identity_removed',
] as const;
export type AccountChange = (typeof ACCOUNT_CHANGES)[number];

const TEXTS: Readonly<Record<AccountChange, string>> = {
  password_removed: 'The password of your account was removed',
  phone_added: 'A phone number was added to your account',
  phone_changed: 'The phone number of your account was changed',
  phone_removed: 'The phone number of your account was removed',
  factor_added: 'Two-step sign-in was added to your account',
  factor_changed: 'The two-step sign-in of your account was changed',
  factor_removed: 'A second step was removed from your account',
  passkey_added: 'A passkey was added to your account',
  passkey_removed: 'A passkey was removed from your account',
  identity_added: 'Your account can now be opened with another sign-in',
  identity_removed: 'A way to sign in was removed from your account',
};

/** Informs the owner about a change of the ways to sign in. `href`: the sign-in page, which also offers to reset the password. */
export function accountChangedMail(from: Letterhead, input: { change: AccountChange; at: Date; href: string }): Mail {
  const at = `${formatStudioTime(input.at)} on ${formatStudioDate(input.at)} (Sydney time)`;
  const what = TEXTS[input.change];
  return renderMail(from, {
    subject: what,
    preheader: 'Wasn’t you? Reset your password now.',
    heading: what,
    blocks: [
      { kind: 'text', text: `This happened at ${at}. If it was you, there is nothing to do.` },
      sentence(
        'If it wasn’t you, reset your password now: open the page to sign in and choose “Forgot password?”. Then write to ',
        writeTo(from.email),
        '.',
      ),
      { kind: 'button', label: 'Open the page to sign in', href: input.href },
    ],
  });
}
accountChangedMail.previews = ({ at, from, pages }: PreviewData): Previews<typeof accountChangedMail> =>
  Object.fromEntries(ACCOUNT_CHANGES.map((change) => [change, [from, { change, at: at(-30.2), href: pages.auth }]]));
