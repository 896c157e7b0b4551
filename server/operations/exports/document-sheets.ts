import { documentNumber, formatAbn, gstCents } from '#rules/business/documents.ts';
import { formatAmount } from '#rules/money.ts';
import { formatStudioDate, formatStudioRange } from '#rules/studio-time.ts';

type Instant = string | Date;
/** The details that a document preserves from the moment it was issued: `private.document_content()`. */
type Content = {
  readonly seller: {
    readonly name: string;
    readonly abn: string;
    readonly address: string;
    readonly email: string;
    readonly phone: string | null;
  };
  readonly buyer: { readonly name: string | null; readonly email: string | null };
  readonly online: boolean;
  /** Whether it is for the difference of a move. */
  readonly change: boolean;
  readonly cancelled?: boolean;
  readonly studioName: string;
  readonly startTime: Instant;
  readonly endTime: Instant;
  readonly hours: number;
  readonly slots: readonly { readonly priceCents: number }[] | null;
  readonly baseCents: number;
  readonly discountCents: number;
  readonly couponCode: string | null;
  readonly couponCents: number;
  readonly waivedCents: number;
};
export type DocumentFacts = {
  readonly reference: string;
  /** `number` is null if nothing was paid. */
  readonly documents: readonly {
    readonly number: number | null;
    readonly kind: 'invoice' | 'adjustment';
    readonly paymentId: string;
    readonly cents: number;
    readonly content: Content;
    readonly issuedAt: Instant;
  }[];
};
type Document = DocumentFacts['documents'][number];

/** A document ready to be displayed, with formatted amounts. */
export type Sheet = {
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly seller: readonly string[];
  readonly buyer: readonly string[];
  /** What the document is for, including the hours. */
  readonly about: string;
  readonly items: readonly (readonly [what: string, amount: string])[];
  readonly total: readonly [name: string, amount: string];
  readonly tax: string;
};

const dollars = (cents: number): string => `${cents < 0 ? '-' : ''}$${formatAmount(Math.abs(cents))}`;
const when = (at: Instant): string => formatStudioDate(new Date(at), 'medium');

/** Lays out all documents of a booking, earliest first. They are called tax invoices if the seller has an ABN, and receipts otherwise. */
export function toSheets({ reference, documents }: DocumentFacts): Sheet[] {
  return documents.map((document) => {
    const { content, kind } = document;
    const back = kind === 'adjustment';
    const invoice = documents.find((other) => other.kind === 'invoice' && other.paymentId === document.paymentId);
    const adjusted = back ? (invoice?.number ?? null) : null;
    const cents = back ? -document.cents : document.cents;
    const registered = content.seller.abn !== '';
    return {
      title: getTitle(kind, registered),
      facts: [
        ...(document.number === null ? [] : [['Number', documentNumber(document.number)] as const]),
        ['Date', when(document.issuedAt)],
        ['Booking', reference],
        ...(adjusted === null
          ? []
          : [[registered ? 'For tax invoice' : 'For receipt', documentNumber(adjusted)] as const]),
      ],
      seller: [
        content.seller.name,
        ...(registered ? [`ABN ${formatAbn(content.seller.abn)}`] : []),
        content.seller.address,
        content.seller.email,
        ...(content.seller.phone ? [content.seller.phone] : []),
      ],
      buyer: [content.buyer.name ?? '', content.buyer.email ?? ''].filter((line) => line !== ''),
      about: `${content.studioName}, ${formatStudioRange(new Date(content.startTime), new Date(content.endTime))} (Sydney time)`,
      items: getItems(document),
      total: [
        back ? 'Refunded' : content.online || document.cents === 0 ? 'Total paid' : 'Total paid, not online',
        dollars(cents),
      ],
      tax: registered
        ? `${back ? 'The refund' : 'Total price'} includes GST of ${dollars(gstCents(document.cents))}.`
        : '',
    };
  });
}

function getTitle(kind: Document['kind'], registered: boolean): string {
  if (kind === 'invoice') return registered ? 'Tax invoice' : 'Receipt';
  return registered ? 'Adjustment note' : 'Refund receipt';
}

/** Returns the line items: the hours grouped by price, then the deductions. */
function getItems({ kind, cents, content }: Document): (readonly [string, string])[] {
  if (kind === 'adjustment')
    return [[content.cancelled ? 'Booking cancelled' : 'Part of the price refunded', dollars(-cents)]];
  if (content.change) return [[`Change of the booking, now ${formatHours(content.hours)}`, dollars(cents)]];
  const { baseCents, discountCents, couponCents, waivedCents } = content;
  // The booking moved before its document was issued, so the parts of its price do not add up to the amount paid.
  if (baseCents - discountCents - couponCents - waivedCents !== cents)
    return [[`${content.studioName}, ${formatHours(content.hours)}`, dollars(cents)]];
  const prices = Map.groupBy(content.slots ?? [], ({ priceCents }) => priceCents);
  const hours = [...prices].map(
    ([price, slots]) => [`${formatHours(slots.length)} at ${dollars(price)}`, dollars(price * slots.length)] as const,
  );
  const less = (name: string, amount: number) => (amount > 0 ? [[name, dollars(-amount)] as const] : []);
  return [
    ...(content.slots === null ? [[formatHours(content.hours), dollars(baseCents)] as const] : hours),
    ...less('Volume discount', discountCents),
    ...less(content.couponCode === null ? 'Coupon' : `Coupon ${content.couponCode}`, couponCents),
    ...less('Not charged', waivedCents),
  ];
}

const formatHours = (hours: number): string => (hours === 1 ? '1 hour' : `${hours} hours`);

/** Summarises what was paid, refunded and is left. Empty unless the booking has several documents. */
export function getSummary({ documents }: DocumentFacts): readonly (readonly [string, string])[] {
  if (documents.length < 2) return [];
  const sum = (kind: Document['kind']): number =>
    documents.filter((document) => document.kind === kind).reduce((all, { cents }) => all + cents, 0);
  const [paid, back] = [sum('invoice'), sum('adjustment')];
  return [
    ['Paid in all', dollars(paid)],
    ...(back > 0 ? [['Refunded in all', dollars(-back)] as const] : []),
    ['Left', dollars(paid - back)],
  ];
}
