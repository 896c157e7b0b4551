import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { type Letterhead, type Mail, renderMail, sentence, writeTo } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/** Informs an address that it no longer belongs to the account, because the owner of the previous address has undone the change. */
export function emailUndoneMail(from: Letterhead, input: { at: Date }): Mail {
  const at = `${formatStudioTime(input.at)} on ${formatStudioDate(input.at)} (Sydney time)`;
  return renderMail(from, {
    subject: 'The change of your email address was undone',
    preheader: 'The account has its earlier email address again.',
    heading: 'Your email address was changed back',
    blocks: [
      {
        kind: 'text',
        text: `At ${at}, the change to this address was undone from the earlier address. The account has a new password, and everyone was signed out.`,
      },
      sentence('If the account is yours and you didn’t do this, write to ', writeTo(from.email), '.'),
    ],
  });
}
emailUndoneMail.previews = ({ at, from }: PreviewData): Previews<typeof emailUndoneMail> => ({
  '': [from, { at: at(-30.2) }],
});
