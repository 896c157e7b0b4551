import { type Letterhead, type Mail, renderMail } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/** Asks the new address of an account to confirm the change. `minutes`: how long the code and the link are valid. */
export function emailChangeMail(from: Letterhead, input: { code: string; href: string; minutes: number }): Mail {
  return renderMail(from, {
    subject: `${input.code} is the code for your new email`,
    preheader: 'Confirm the new email address of your account.',
    heading: 'Confirm your new email',
    blocks: [
      { kind: 'text', text: 'You asked to use this address for your account. To confirm, enter this code:' },
      { kind: 'code', label: 'Code', code: input.code },
      { kind: 'text', text: `It works for ${input.minutes} minutes. Or just press this button:` },
      { kind: 'button', label: 'Confirm email', href: input.href },
    ],
  });
}
emailChangeMail.previews = ({ confirm, from }: PreviewData): Previews<typeof emailChangeMail> => ({
  '': [from, confirm],
});
