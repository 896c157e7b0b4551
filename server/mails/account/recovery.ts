import { type Letterhead, type Mail, renderMail } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/** Sends the link and the code to reset a password. `minutes`: how long both are valid. */
export function recoveryMail(from: Letterhead, input: { code: string; href: string; minutes: number }): Mail {
  return renderMail(from, {
    subject: 'Reset your password',
    preheader: 'You asked to reset your password.',
    heading: 'Reset your password',
    blocks: [
      {
        kind: 'text',
        text: `Open this page within ${input.minutes} minutes and press the button to set a new password:`,
      },
      { kind: 'button', label: 'Set a new password', href: input.href },
      { kind: 'code', label: 'Code', code: input.code },
      { kind: 'text', text: 'Didn’t ask for this? You can ignore this email: your password stays the same.' },
    ],
  });
}
recoveryMail.previews = ({ from, reset }: PreviewData): Previews<typeof recoveryMail> => ({ '': [from, reset] });
