import { type Mail, renderMail } from './layout.ts';

/** The link to choose a new password, and its code. `minutes`: life of both. */
export function recoveryMail(input: { code: string; href: string; minutes: number }): Mail {
  return renderMail({
    subject: 'Choose a new password',
    preheader: 'Somebody asked to change the password of your account.',
    heading: 'Choose a new password',
    blocks: [
      {
        kind: 'text',
        text: `Open this page within ${input.minutes} minutes and press its button to choose a new password:`,
      },
      { kind: 'button', label: 'Choose a new password', href: input.href },
      { kind: 'code', label: 'Code', code: input.code },
      { kind: 'text', text: 'You did not ask for this? Then do nothing: your password stays as it is.' },
    ],
  });
}
