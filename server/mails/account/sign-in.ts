import { type Letterhead, type Mail, renderMail } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/** Sends the code and the link to sign in without a password. `minutes`: how long both are valid. */
export function signInMail(from: Letterhead, input: { code: string; href: string; minutes: number }): Mail {
  return renderMail(from, {
    subject: `${input.code} is your sign-in code`,
    preheader: 'Enter it where you asked for it.',
    heading: 'Sign in',
    blocks: [
      { kind: 'text', text: 'Enter this code where you asked for it:' },
      { kind: 'code', label: 'Code', code: input.code },
      { kind: 'text', text: `It works for ${input.minutes} minutes. Or just press this button:` },
      { kind: 'button', label: 'Sign in', href: input.href },
      { kind: 'text', text: 'Didn’t ask for this? You can ignore this email: no one can sign in without the code.' },
    ],
  });
}
signInMail.previews = ({ confirm, from }: PreviewData): Previews<typeof signInMail> => ({ '': [from, confirm] });
