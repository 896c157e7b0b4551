import { type Mail, renderMail } from './layout.ts';

/** The code that proves who is changing a password. `minutes`: its life. */
export function reauthenticationMail(input: { code: string; minutes: number }): Mail {
  return renderMail({
    subject: `${input.code} confirms that it is you`,
    preheader: 'Somebody who is signed in wants to change your account.',
    heading: 'Is it you?',
    blocks: [
      { kind: 'text', text: 'To go on with the change of your account, type this code:' },
      { kind: 'code', label: 'Code', code: input.code },
      {
        kind: 'text',
        text: `It is good for ${input.minutes} minutes. If it is not you, sign out everywhere and choose a new password.`,
      },
    ],
  });
}
