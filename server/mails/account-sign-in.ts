import { type Mail, renderMail } from './layout.ts';

/** The code and the link to sign in without a password. `minutes`: life of both. */
export function signInMail(input: { code: string; href: string; minutes: number }): Mail {
  return renderMail({
    subject: `${input.code} signs you in`,
    preheader: 'Your code to sign in.',
    heading: 'Sign in',
    blocks: [
      { kind: 'text', text: 'Type this code where you asked for it:' },
      { kind: 'code', label: 'Code', code: input.code },
      { kind: 'text', text: `It is good for ${input.minutes} minutes. Or open this page and press its button:` },
      { kind: 'button', label: 'Sign in', href: input.href },
      { kind: 'text', text: 'You did not ask for this? Then do nothing: nobody gets in without this mail.' },
    ],
  });
}
