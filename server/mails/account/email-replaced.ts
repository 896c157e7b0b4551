import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { type Letterhead, type Mail, renderMail, sentence, writeTo } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/**
 * Informs the previous address of an account that it was replaced. `href`: the page that undoes the change; `until`: when that page stops
 * working.
 */
export function emailReplacedMail(from: Letterhead, input: { at: Date; until: Date; href: string }): Mail {
  const at = `${formatStudioTime(input.at)} on ${formatStudioDate(input.at)} (Sydney time)`;
  const until = `${formatStudioTime(input.until)} on ${formatStudioDate(input.until)} (Sydney time)`;
  return renderMail(from, {
    subject: 'The email address of your account was changed',
    preheader: 'Wasn’t you? You can undo it for three days.',
    heading: 'Your email address was changed',
    blocks: [
      {
        kind: 'text',
        text: `At ${at}, your account got a new email address. We write to the new one from now on. If you changed it, there is nothing to do.`,
      },
      {
        kind: 'text',
        text: `If it wasn’t you, undo the change. It works until ${until}. You choose a new password, and everyone is signed out. From the moment you open the link and begin, no refund is sent and no door code is shown until you have finished, for a day at most. We keep this address for you until then.`,
      },
      { kind: 'button', label: 'Undo the change', href: input.href },
      sentence('Need a hand? Write to ', writeTo(from.email), '.'),
    ],
  });
}
emailReplacedMail.previews = ({ at, from, undo }: PreviewData): Previews<typeof emailReplacedMail> => ({
  '': [from, { at: at(-30.2), until: at(41.8), href: undo }],
});
