import { type Letterhead, type Mail, renderMail } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/** Sends the code that confirms the identity of the person changing the account. `minutes`: how long the code is valid. */
export function reauthenticationMail(from: Letterhead, input: { code: string; minutes: number }): Mail {
  return renderMail(from, {
    subject: `${input.code} is your security code`,
    preheader: 'Confirm the change to your account.',
    heading: 'Is that you?',
    blocks: [
      { kind: 'text', text: 'To confirm the change to your account, enter this code:' },
      { kind: 'code', label: 'Code', code: input.code },
      {
        kind: 'text',
        text: `It works for ${input.minutes} minutes. If this isn’t you, sign out everywhere and change your password.`,
      },
    ],
  });
}
reauthenticationMail.previews = ({ confirm, from }: PreviewData): Previews<typeof reauthenticationMail> => ({
  '': [from, confirm],
});
