import { type Mail, renderMail } from './layout.ts';

/** The code of a sign-up, and a link to a page with a button that confirms it. `minutes`: life of both. */
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
