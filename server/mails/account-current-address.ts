import { type Mail, renderMail } from './layout.ts';

/** Asks the owner of the current address to agree to another one. `minutes`: life of code and link. */
export function currentAddressMail(input: { code: string; href: string; minutes: number; newAddress: string }): Mail {
  return renderMail({
    subject: `${input.code} lets your address change`,
    preheader: 'Somebody asked to change the address of your account.',
    heading: 'Change your address?',
    blocks: [
      { kind: 'text', text: `Your account is to have the address ${input.newAddress}. To agree, type this code:` },
      { kind: 'code', label: 'Code', code: input.code },
      { kind: 'text', text: `It is good for ${input.minutes} minutes. Or open this page and press its button:` },
      { kind: 'button', label: 'Agree to the new address', href: input.href },
      { kind: 'text', text: 'You did not ask for this? Then do nothing, and choose a new password.' },
    ],
  });
}
