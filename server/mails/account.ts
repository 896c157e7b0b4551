import { type Mail, renderMail } from './layout.ts';

/** Account mails: codes in the text stand on a line of their own as `Code: 123456`. */

export function signUpMail(input: { code: string; href: string; minutes: number }): Mail {
  return renderMail({
    subject: `${input.code} is your code`,
    preheader: 'Confirm your email address to finish signing up.',
    heading: 'Confirm your email',
    blocks: [
      { kind: 'text', text: 'Type this code on the page where you signed up:' },
      { kind: 'code', label: 'Code', code: input.code },
      { kind: 'text', text: `It is good for ${input.minutes} minutes. Or open this page and press its button:` },
      { kind: 'button', label: 'Confirm email', href: input.href },
      { kind: 'text', text: 'You did not sign up? Then do nothing.' },
    ],
  });
}

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

export function emailChangeMail(input: { code: string; href: string; minutes: number }): Mail {
  return renderMail({
    subject: `${input.code} confirms your new address`,
    preheader: 'Confirm the new address of your account.',
    heading: 'Confirm your new address',
    blocks: [
      { kind: 'text', text: 'This address was given as the new one of an account. To confirm it, type this code:' },
      { kind: 'code', label: 'Code', code: input.code },
      { kind: 'text', text: `It is good for ${input.minutes} minutes. Or open this page and press its button:` },
      { kind: 'button', label: 'Confirm address', href: input.href },
    ],
  });
}

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
