import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { type Letterhead, type Mail, renderMail, sentence, writeTo } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/** Informs the owner that the password was changed. `href`: the sign-in page, which also offers to reset the password. */
export function passwordChangedMail(from: Letterhead, input: { at: Date; href: string }): Mail {
  const at = `${formatStudioTime(input.at)} on ${formatStudioDate(input.at)} (Sydney time)`;
  return renderMail(from, {
    subject: 'Your password was changed',
    preheader: 'Wasn’t you? Reset your password now.',
    heading: 'Your password was changed',
    blocks: [
      { kind: 'text', text: `Your password was changed at ${at}, and all your other devices were signed out.` },
      sentence(
        'If this wasn’t you, reset your password now: open the page to sign in and choose “Forgot password?”. Then write to ',
        writeTo(from.email),
        '.',
      ),
      { kind: 'button', label: 'Open the page to sign in', href: input.href },
    ],
  });
}
passwordChangedMail.previews = ({ at, from, pages }: PreviewData): Previews<typeof passwordChangedMail> => ({
  '': [from, { at: at(-30.2), href: pages.auth }],
});
