import { type Letterhead, type Mail, renderMail } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/** Sends the sign-up code and a link that confirms the address. `minutes`: how long both are valid. */
export function signUpMail(from: Letterhead, input: { code: string; href: string; minutes: number }): Mail {
  return renderMail(from, {
    subject: `${input.code} is your code`,
    preheader: 'Confirm your email address to finish signing up.',
    heading: 'Confirm your email',
    blocks: [
      { kind: 'text', text: 'Enter this code on the page where you signed up:' },
      { kind: 'code', label: 'Code', code: input.code },
      { kind: 'text', text: `It works for ${input.minutes} minutes. Or just press this button:` },
      { kind: 'button', label: 'Confirm email', href: input.href },
      { kind: 'text', text: 'Didn’t sign up? You can ignore this email.' },
    ],
  });
}
signUpMail.previews = ({ confirm, from, long }: PreviewData): Previews<typeof signUpMail> => ({
  '': [from, confirm],
  long: [long.from, { ...confirm, code: '4029170358' }],
});
