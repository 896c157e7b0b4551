import { venue } from '#rules/venue.ts';
import { type Mail, renderMail } from './layout.ts';

/** Invites somebody to an account that was made for them. `minutes`: life of code and link. */
export function invitationMail(input: { code: string; href: string; minutes: number }): Mail {
  return renderMail({
    subject: `You are invited to ${venue.name}`,
    preheader: 'An account was made for you.',
    heading: 'You are invited',
    blocks: [
      {
        kind: 'text',
        text: `An account was made for you. Open this page within ${input.minutes} minutes and press its button to choose your password:`,
      },
      { kind: 'button', label: 'Accept the invitation', href: input.href },
      { kind: 'code', label: 'Code', code: input.code },
      { kind: 'text', text: 'You did not expect this? Then do nothing.' },
    ],
  });
}
