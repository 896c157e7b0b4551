import { formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { greet, type Letterhead, type Mail, renderMail, sentence } from './layout.ts';
import type { PreviewData, Previews } from './preview-data.ts';

/** Hours that have become free for a customer on the wait list, and until when they are held. */
export type FreedHours = {
  readonly studioName: string;
  readonly start: Date;
  readonly end: Date;
  readonly until: Date;
};

/** Informs a customer on the wait list that hours are free, without holding them. `book`: the link to the selected hours. */
export function freeHoursMail(
  from: Letterhead,
  { studioName, start, end }: Omit<FreedHours, 'until'>,
  firstName: string | null,
  book: string,
): Mail {
  return renderMail(from, {
    subject: `${studioName} is free: book it before someone else does`,
    preheader: 'The hours you wanted are free. We aren’t holding them.',
    heading: 'The hours you wanted are free',
    blocks: [
      {
        kind: 'text',
        text: greet(
          firstName,
          'the hours you waited for are free. We aren’t holding them for you, so the first person to book them gets them.',
        ),
      },
      {
        kind: 'facts',
        rows: [
          ['Studio', studioName],
          ['When', `${formatStudioRange(start, end)} (Sydney time)`],
        ],
      },
      { kind: 'button', label: 'Book these hours', href: book },
      sentence(
        'We hold freed hours once a day for customers whose ID is verified. If these are gone by then, you can ',
        { text: 'join the wait list again', href: book },
        '.',
      ),
    ],
  });
}
freeHoursMail.previews = ({ earlier, from, pages }: PreviewData): Previews<typeof freeHoursMail> => ({
  '': [from, earlier, 'Olive', pages.book],
});

/**
 * Asks a customer on the wait list whether they still want the hours. `links`: to the selected hours, and to the list of the customer's
 * entries.
 */
export function waitlistMail(
  from: Letterhead,
  { studioName, start, end, until }: FreedHours,
  firstName: string | null,
  links: { readonly book: string; readonly entries: string },
): Mail {
  const time = formatStudioTime(until);
  return renderMail(from, {
    subject: `${studioName} is free: yours until ${time}`,
    preheader: `We’re holding the hours you wanted until ${time}, Sydney time.`,
    heading: 'The hours you wanted are free',
    blocks: [
      {
        kind: 'text',
        text: greet(
          firstName,
          `you’re next on the wait list. We’re holding these hours for you until ${time}, Sydney time. After that we ask the next person.`,
        ),
      },
      {
        kind: 'facts',
        rows: [
          ['Studio', studioName],
          ['When', `${formatStudioRange(start, end)} (Sydney time)`],
          ['Yours until', `${time}, Sydney time`],
        ],
      },
      { kind: 'button', label: 'Book these hours', href: links.book },
      sentence(
        'You pay nothing unless you book. Don’t want them any more? ',
        { text: 'Leave the wait list', href: links.entries },
        ', and the next person gets them sooner.',
      ),
    ],
  });
}
waitlistMail.previews = ({ at, earlier, from, pages, site }: PreviewData): Previews<typeof waitlistMail> => {
  const hours = { ...earlier, until: at(-71.75) };
  const links = { book: pages.book, entries: `${site}/waitlist` };
  return { '': [from, hours, 'Olive', links], 'without a name': [from, hours, null, links] };
};
