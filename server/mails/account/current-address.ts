import { type Letterhead, type Mail, renderMail } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/** Asks the current address to approve a new one. `minutes`: how long the code and the link are valid. */
export function currentAddressMail(
  from: Letterhead,
  input: { code: string; href: string; minutes: number; newAddress: string },
): Mail {
  return renderMail(from, {
    subject: `${input.code} is your code to change your email`,
    preheader: 'You asked to change the email address of your account.',
    heading: 'Change your email?',
    blocks: [
      { kind: 'text', text: `You asked to change your email to ${input.newAddress}. To confirm, enter this code:` },
      { kind: 'code', label: 'Code', code: input.code },
      { kind: 'text', text: `It works for ${input.minutes} minutes. Or just press this button:` },
      { kind: 'button', label: 'Confirm the change', href: input.href },
      { kind: 'text', text: 'Didn’t ask for this? Ignore this email, and change your password to be safe.' },
    ],
  });
}
currentAddressMail.previews = ({ confirm, from }: PreviewData): Previews<typeof currentAddressMail> => ({
  '': [from, { ...confirm, newAddress: `olive.nguyen.with.a.long.address@${'mailprovider'.repeat(3)}.example` }],
});
