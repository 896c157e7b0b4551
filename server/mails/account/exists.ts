import { type Letterhead, type Mail, renderMail } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/** Sent instead of a sign-up code to an address that already has an account, so that only its owner learns about the account. */
export function accountExistsMail(from: Letterhead, input: { href: string }): Mail {
  return renderMail(from, {
    subject: 'You already have an account',
    preheader: 'Someone tried to sign up with this email.',
    heading: 'You already have an account',
    blocks: [
      {
        kind: 'text',
        text: 'Someone, probably you, tried to sign up with this email. It already has an account: sign in, or reset your password if you’ve forgotten it.',
      },
      { kind: 'button', label: 'Sign in', href: input.href },
    ],
  });
}
accountExistsMail.previews = ({ from, pages }: PreviewData): Previews<typeof accountExistsMail> => ({
  '': [from, { href: pages.auth }],
});
