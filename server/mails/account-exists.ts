import { type Mail, renderMail } from './layout.ts';

/** Sent in place of a code to an address that has an account, so that only its owner learns of it. */
export function accountExistsMail(input: { href: string }): Mail {
  return renderMail({
    subject: 'You already have an account',
    preheader: 'Somebody tried to sign up with this address.',
    heading: 'You already have an account',
    blocks: [
      {
        kind: 'text',
        text: 'Somebody, perhaps you, tried to sign up with this address. There is an account for it already: sign in, or choose a new password if you have forgotten yours.',
      },
      { kind: 'button', label: 'Sign in', href: input.href },
    ],
  });
}
