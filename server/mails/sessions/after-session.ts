import { describeReportState, type LostOutcome } from '#rules/business/feedback.ts';
import { type BookingForMail, when } from '../booking-parts.ts';
import { greet, type Letterhead, type Mail, renderMail, sentence } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/**
 * Thanks the customer after a session, asks for a rating, and explains where to report lost property. `repeat`: the link to the same hours
 * in a later week.
 */
export function thanksMail(
  booking: BookingForMail,
  links: { readonly page: string; readonly repeat: string; readonly account: string },
): Mail {
  return renderMail(booking.from, {
    subject: `How was ${booking.studioName}?`,
    preheader: 'One question, and where to ask for what you left behind.',
    heading: 'Thanks for playing',
    blocks: [
      {
        kind: 'text',
        text: greet(
          booking.firstName,
          `we hope it sounded as it should. How was it, from 1 to 5? It takes one tap, and a person reads every answer.`,
        ),
      },
      { kind: 'button', label: 'Rate your session', href: `${links.page}#how-was-it` },
      {
        kind: 'facts',
        rows: [
          ['Your session', when(booking)],
          ['Reference', booking.reference],
        ],
      },
      sentence(
        'Left something behind, or something broken? ',
        {
          text: 'Tell us on the same page',
          href: `${links.page}#something-wrong`,
        },
        '.',
      ),
      { kind: 'button', label: 'Same time again', href: links.repeat },
      sentence('You choose which emails you get ', { text: 'in your account', href: links.account }, '.'),
    ],
  });
}
thanksMail.previews = ({ booking, long, pages }: PreviewData): Previews<typeof thanksMail> => {
  const links = { page: pages.booking, repeat: pages.book, account: pages.profile };
  return { '': [booking, links], long: [long, links] };
};

/** A customer's report with the answer of staff. */
export type AnsweredReport = {
  readonly kind: 'problem' | 'lost';
  readonly studioName: string;
  readonly reference: string;
  readonly description: string;
  readonly answer: string;
  readonly state: 'open' | 'in_progress' | 'done';
  readonly outcome: LostOutcome | null;
};

/** Sends the answer of staff to a report. `page`: the page of the booking. */
export function incidentAnswerMail(
  from: Letterhead,
  report: AnsweredReport,
  firstName: string | null,
  page: string,
): Mail {
  const about = report.kind === 'lost' ? 'what you left behind' : 'the problem you reported';
  return renderMail(from, {
    subject: `About ${about} in ${report.studioName}`,
    preheader: report.answer.slice(0, 120),
    heading: report.state === 'done' ? describeReportState(report) : 'Our answer',
    blocks: [
      { kind: 'text', text: greet(firstName, `here is our answer about ${about}.`) },
      ...report.answer.split(/\n+/).flatMap((text) => (text === '' ? [] : [{ kind: 'text' as const, text }])),
      {
        kind: 'facts',
        rows: [
          ['You wrote', report.description],
          ['Studio', report.studioName],
          ['Reference', report.reference],
        ],
      },
      { kind: 'button', label: 'Your booking', href: page },
    ],
  });
}
incidentAnswerMail.previews = ({ from, pages }: PreviewData): Previews<typeof incidentAnswerMail> => {
  const report: AnsweredReport = {
    kind: 'lost',
    studioName: 'Studio B',
    reference: '7KQM-4TXR',
    description: 'A black USB stick.\nIt was in the left player.',
    answer: 'It was still in the player.\n\nIt waits for you in the box at the entrance.',
    state: 'done',
    outcome: 'found',
  };
  const answer = 'We changed the cable. Thanks for telling us.';
  return {
    '': [from, report, 'Olive', pages.booking],
    'about a problem': [from, { ...report, kind: 'problem', outcome: null, answer }, null, pages.booking],
  };
};
