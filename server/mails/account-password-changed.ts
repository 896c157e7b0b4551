import { type Mail, renderMail } from './layout.ts';

/** Tells the owner that the password was changed. */
export function passwordChangedMail(): Mail {
  return renderMail({
    subject: 'Your password was changed',
    preheader: 'The password of your account was changed.',
    heading: 'Your password was changed',
    blocks: [
      {
        kind: 'text',
        text: 'The password of your account was changed, and every other device was signed out. If this was not you, choose a new password at once with "Forgot password?" and write to us.',
      },
    ],
  });
}
