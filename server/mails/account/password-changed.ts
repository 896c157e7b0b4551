import { type Letterhead, type Mail, renderMail } from '../layout.ts';

/** Informs the owner that the password was changed. */
export function passwordChangedMail(from: Letterhead): Mail {
  return renderMail(from, {
    subject: 'Your password was changed',
    preheader: 'Wasn’t you? Reset your password now.',
    heading: 'Your password was changed',
    blocks: [
      {
        kind: 'text',
        text: 'Your password was changed, and all your other devices were signed out. If this wasn’t you, reset your password now with "Forgot password?" and contact us.',
      },
    ],
  });
}
