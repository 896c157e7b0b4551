import { type BusinessSettings, fillText } from '#rules/business/business.ts';
import { describeDoorEvent, sinceStart } from '#rules/doors.ts';
import { titleOfJob } from '#rules/alerts/jobs.ts';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDateTime, formatStudioRange } from '#rules/studio-time.ts';
import { escape } from '#server/mails/layout.ts';

type Instant = string | Date;
/** The facts about a booking whose payment is disputed. Amounts are in cents; times are instants. */
export type EvidenceFacts = {
  /** The name of the business. */
  readonly business: string;
  readonly reference: string;
  readonly studioName: string;
  readonly start: Instant;
  readonly end: Instant;
  readonly status: string;
  readonly hours: number;
  readonly createdAt: Instant;
  readonly confirmedAt: Instant | null;
  readonly cancelledAt: Instant | null;
  readonly madeByStaff: boolean;
  readonly freeCancelHours: number | null;
  readonly baseCents: number;
  readonly discountCents: number;
  readonly couponCents: number;
  readonly waivedCents: number;
  readonly finalCents: number;
  readonly customer: {
    readonly name: string | null;
    readonly email: string | null;
    readonly phone: string | null;
    readonly since: Instant | null;
  };
  readonly payments: readonly {
    readonly kind: string;
    readonly state: string;
    readonly cents: number;
    readonly refundedCents: number;
    readonly paidAt: Instant;
    readonly providerId: string | null;
  }[];
  readonly disputes: readonly {
    readonly id: string;
    readonly providerStatus: string;
    readonly reason: string | null;
    readonly amountCents: number;
    readonly openedAt: Instant;
    readonly dueAt: Instant | null;
  }[];
  /** Versions of the terms that the customer had accepted when the booking was made. */
  readonly terms: readonly { readonly version: string; readonly acceptedAt: Instant }[];
  /**
   * The terms of the booking, with its own cancellation period. Null if none were accepted. `texts` is null for a version older than the
   * stored terms.
   */
  readonly agreed: {
    readonly version: string;
    readonly texts: Pick<BusinessSettings, 'name' | 'email' | 'freeCancelHours' | 'terms'> | null;
  } | null;
  /** Results of ID checks; null if the reader lacks the permission to see them. */
  readonly ids:
    | readonly {
        readonly source: string;
        readonly status: string;
        readonly checkedAt: Instant;
        readonly verifiedAt: Instant | null;
        readonly expiresAt: Instant | null;
        readonly nameMatched: string | null;
      }[]
    | null;
  readonly codes: readonly {
    readonly from: Instant;
    readonly until: Instant;
    readonly requestedAt: Instant;
    readonly acceptedAt: Instant | null;
    readonly seenAt: Instant | null;
    readonly usedAt: Instant | null;
  }[];
  readonly doorLog: readonly { readonly at: Instant; readonly kind: string; readonly byCode: boolean }[];
  readonly mails: readonly { readonly kind: string; readonly sentAt: Instant }[];
  readonly madeAt: Date;
};

type Rows = readonly (readonly [name: string, value: string])[];

const when = (at: Instant): string => formatStudioDateTime(new Date(at));
const maybe = (name: string, at: Instant | null): Rows => (at === null ? [] : [[name, when(at)]]);
const words = (text: string): string => text.replaceAll('_', ' ');

/** Renders the evidence for a dispute as one printable HTML page. All user-entered text is escaped. */
export function disputeEvidence(facts: EvidenceFacts): string {
  const title = `Evidence: booking ${facts.reference}`;
  const parts = [
    section('Booking', [bookingRows(facts)]),
    section('Customer', [customerRows(facts)]),
    section('Disputes', facts.disputes.map(disputeRows)),
    section('Payments', facts.payments.map(paymentRows)),
    section(
      'Terms the customer accepted',
      facts.terms.map(({ version, acceptedAt }): Rows => [[`Version ${version}`, when(acceptedAt)]]),
    ),
    ...(facts.ids === null ? [] : [section('ID checks', facts.ids.map(idRows))]),
    section('Access codes', facts.codes.map(codeRows)),
    section('Door log of the session', [doorRows(facts)]),
    section('Emails sent to the customer', [
      facts.mails.map(({ kind, sentAt }) => [titleOfJob(kind), when(sentAt)] as const),
    ]),
  ];
  return `<!doctype html>
<html lang="en-AU"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(title)}</title>
<style>body{font:15px/1.5 Arial,Helvetica,sans-serif;color:#111;background:#fff;max-width:46rem;margin:2rem auto;padding:0 1rem}h1{font-size:1.6rem}h3{font-size:1rem;margin:1rem 0 0}p{white-space:pre-line}h2{font-size:1.15rem;margin:1.6rem 0 .4rem;border-bottom:1px solid #999}table{border-collapse:collapse;width:100%;margin:.3rem 0 .8rem;break-inside:avoid}th{text-align:left;font-weight:400;color:#555;width:38%;vertical-align:top;padding:.15rem 1rem .15rem 0}td{padding:.15rem 0;overflow-wrap:anywhere}</style></head>
<body><h1>${escape(title)}</h1>
<p>${escape(facts.business)}. Made on ${escape(when(facts.madeAt))} from our records. All times are Sydney time.</p>
${[...parts, termsText(facts.agreed)].join('\n')}
</body></html>
`;
}

/** Renders the text of the terms of the booking. */
function termsText(agreed: EvidenceFacts['agreed']): string {
  if (!agreed?.texts) return '';
  const { version, texts } = agreed;
  const articles = texts.terms.map(
    ({ title, text }) => `<h3>${escape(fillText(title, texts))}</h3>\n<p>${escape(fillText(text, texts))}</p>`,
  );
  return `<section><h2>Terms, version ${escape(version)}</h2>\n${articles.join('\n')}</section>`;
}

function section(heading: string, tables: readonly Rows[]): string {
  const filled = tables.filter((rows) => rows.length > 0);
  const body = filled.length === 0 ? '<p>None.</p>' : filled.map(table).join('\n');
  return `<section><h2>${escape(heading)}</h2>\n${body}</section>`;
}

const table = (rows: Rows): string =>
  `<table>${rows.map(([name, value]) => `<tr><th scope="row">${escape(name)}</th><td>${escape(value)}</td></tr>`).join('')}</table>`;

function bookingRows(facts: EvidenceFacts): Rows {
  const less = (name: string, cents: number): Rows => (cents > 0 ? [[name, `-${formatMoney(cents)}`]] : []);
  return [
    ['Reference', facts.reference],
    ['Studio', facts.studioName],
    ['Session', formatStudioRange(new Date(facts.start), new Date(facts.end))],
    ['Hours', String(facts.hours)],
    ['State', facts.status],
    [facts.madeByStaff ? 'Booked by our staff' : 'Booked by the customer', when(facts.createdAt)],
    ...maybe('Confirmed', facts.confirmedAt),
    ...maybe('Cancelled', facts.cancelledAt),
    ['Price', formatMoney(facts.baseCents)],
    ...less('Volume discount', facts.discountCents),
    ...less('Coupon', facts.couponCents),
    ...less('Not charged', facts.waivedCents),
    ['To pay', formatMoney(facts.finalCents)],
    ...(facts.freeCancelHours === null
      ? []
      : [['Agreed cancellation terms', `Full refund up to ${facts.freeCancelHours} hours before the start`] as const]),
  ];
}

function customerRows({ customer }: EvidenceFacts): Rows {
  return [
    ['Name', customer.name ?? 'Unknown'],
    ['Email', customer.email ?? 'Unknown'],
    ['Phone', customer.phone ?? 'Unknown'],
    ...maybe('Account since', customer.since),
  ];
}

const disputeRows = (dispute: EvidenceFacts['disputes'][number]): Rows => [
  ['Dispute', dispute.id],
  ['Amount', formatMoney(dispute.amountCents)],
  ['Reason', dispute.reason === null ? 'Not given' : words(dispute.reason)],
  ['State', words(dispute.providerStatus)],
  ['Opened', when(dispute.openedAt)],
  ...maybe('Respond by', dispute.dueAt),
];

const paymentRows = (payment: EvidenceFacts['payments'][number]): Rows => [
  ['Paid', when(payment.paidAt)],
  ['Amount', formatMoney(payment.cents)],
  ...(payment.refundedCents > 0 ? [['Refunded', formatMoney(payment.refundedCents)] as const] : []),
  ['State', words(payment.state)],
  ...(payment.providerId === null ? [] : [['At the payment provider', payment.providerId] as const]),
];

const SOURCES: ReadonlyMap<string, string> = new Map([
  ['photo', 'Photo of a licence, compared with the account'],
  ['hosted', 'Online check of the payment provider'],
  ['staff', 'Checked by our staff'],
]);
const idRows = (check: NonNullable<EvidenceFacts['ids']>[number]): Rows => [
  ['Kind', SOURCES.get(check.source) ?? check.source],
  ['Checked', when(check.checkedAt)],
  ['Result', words(check.status)],
  ...maybe('Verified', check.verifiedAt),
  ...(check.nameMatched === null ? [] : [['Name', words(check.nameMatched)] as const]),
];

const codeRows = (code: EvidenceFacts['codes'][number]): Rows => [
  ['Worked', `${when(code.from)} to ${when(code.until)}`],
  ['Requested from the lock', when(code.requestedAt)],
  ...maybe('Accepted by the lock', code.acceptedAt),
  ...maybe('Seen by the customer', code.seenAt),
  ...maybe('Opened the door', code.usedAt),
];

const doorRows = ({ doorLog, start }: EvidenceFacts): Rows =>
  doorLog.map(({ at, kind, byCode }) => [
    when(at),
    `${describeDoorEvent(kind)}${byCode ? ' of this booking' : ''}, ${sinceStart(new Date(at), new Date(start))}`,
  ]);
