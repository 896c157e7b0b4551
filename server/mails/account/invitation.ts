import { type Letterhead, type Mail, renderMail } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/** Invites a person to an account that was created for them. `minutes`: how long the code and the link are valid. */
export function invitationMail(from: Letterhead, input: { code: string; href: string; minutes: number }): Mail {
  return renderMail(from, {
    subject: `You’re invited to ${from.name}`,
    preheader: 'We’ve made an account for you.',
    heading: 'You’re invited',
    blocks: [
      {
        kind: 'text',
        text: `We’ve made an account for you. Open this page within ${input.minutes} minutes and press the button to set your password:`,
      },
      { kind: 'button', label: 'Accept the invitation', href: input.href },
      { kind: 'code', label: 'Code', code: input.code },
      { kind: 'text', text: 'Not expecting this? You can ignore this email.' },
    ],
  });
}
invitationMail.previews = ({ from, reset }: PreviewData): Previews<typeof invitationMail> => ({ '': [from, reset] });
