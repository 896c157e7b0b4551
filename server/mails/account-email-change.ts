import { type Mail, renderMail } from './layout.ts';

/** The code for the new address of an account. `minutes`: its life. */
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
