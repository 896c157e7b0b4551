import type { ExportName } from '#contracts/exports/staff-export.ts';
import { documentNumber } from '#rules/business/documents.ts';
import { formatStudioRange, studioDate } from '#rules/studio-time.ts';
import type { Queryable } from '#server/db/database.ts';
import type { Cell } from './csv.ts';

/** A half-open span of time. */
export type TimeRange = { readonly from: Date; readonly to: Date };
/** The last row of a page, by its time (with microseconds) and id. */
export type PageEnd = { readonly at: string; readonly id: string };
export const BEFORE_ALL: PageEnd = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/**
 * A kind of export. `read` returns at most `most` rows after `after`, ordered by time, and the end of the page. It returns null if there
 * are none.
 */
export type ExportKind = {
  readonly columns: readonly string[];
  readonly read: (
    db: Queryable,
    range: TimeRange,
    page: { readonly after: PageEnd; readonly most: number },
    now: Date,
  ) => Promise<{ readonly rows: readonly (readonly Cell[])[]; readonly end: PageEnd } | null>;
};

/**
 * Defines a kind of export. `text` must select `at` and `id`. Its parameters are the start and end of the range, the end of the previous
 * page (time and id), the number of rows, and those of `more`.
 */
export function exportKind<Row>(
  columns: readonly string[],
  text: string,
  cells: (row: Row) => readonly Cell[],
  more: (now: Date) => readonly unknown[] = () => [],
): ExportKind {
  return {
    columns,
    async read(db, { from, to }, { after, most }, now) {
      const { rows } = await db.query<Row & PageEnd>(text, [from, to, after.at, after.id, most, ...more(now)]);
      const last = rows.at(-1);
      return last === undefined ? null : { rows: rows.map(cells), end: { at: last.at, id: last.id } };
    },
  };
}

type Person = { readonly name: string | null; readonly email: string | null };

type BookingRow = Person & {
  readonly reference: string;
  readonly studio: string;
  readonly start: Date;
  readonly end: Date;
  readonly status: string;
  readonly reason: string | null;
  readonly hours: number;
  readonly base: number;
  readonly discount: number;
  readonly couponDiscount: number;
  readonly waived: number;
  readonly total: number;
  readonly coupon: string | null;
  readonly phone: string | null;
  readonly made: Date;
  readonly confirmed: Date | null;
  readonly cancelled: Date | null;
};
/** Ordered by the start of the session. Excludes test bookings, holds of new hours, claims of the wait list and early holds. */
const bookings = exportKind<BookingRow>(
  `Reference,Studio,Start,End,Status,Cancelled because,Hours,Base,Volume discount,Coupon discount,Not charged,Total,Coupon,Customer,Email,Phone,Made,Confirmed,Cancelled`.split(
    ',',
  ),
  `select b.start_time::text as at, b.id, b.reference, b.studio_name as studio, b.start_time as start, b.end_time as "end", b.status,
     b.cancel_reason as reason, b.total_hours::float8 as hours, b.base_cost_cents as base, b.discount_cents as discount,
     b.coupon_discount_cents as "couponDiscount", b.waived_cents as waived, b.final_cost_cents as total, b.coupon_terms ->> 'code' as coupon,
     coalesce(p.full_name, b.guest_name) as name, coalesce(p.email, b.guest_email) as email, coalesce(b.contact_phone, p.phone) as phone,
     b.created_at as made, b.confirmed_at as confirmed, b.cancelled_at as cancelled
   from private.booking b left join public.profiles p on p.user_id = b.user_id
   where b.start_time >= $1::timestamptz and b.start_time < $2::timestamptz and (b.start_time, b.id) > ($3::timestamptz, $4::uuid)
     and b.notes is distinct from 'test' and b.moves_booking is null and b.waitlist_entry_id is null and not b.early
   order by b.start_time, b.id limit $5::int`,
  (b) => [
    b.reference,
    b.studio,
    b.start,
    b.end,
    b.status,
    b.reason,
    b.hours,
    { cents: b.base },
    { cents: b.discount },
    { cents: b.couponDiscount },
    { cents: b.waived },
    { cents: b.total },
    b.coupon,
    b.name,
    b.email,
    b.phone,
    b.made,
    b.confirmed,
    b.cancelled,
  ],
);

type PaymentRow = Person & {
  readonly reference: string;
  readonly studio: string;
  readonly paidAt: Date;
  readonly kind: string;
  readonly state: string;
  readonly paid: number;
  readonly refunded: number;
  readonly disputed: number;
  readonly dispute: string | null;
  readonly invoice: number | null;
  readonly intent: string | null;
};
const formatNumber = (document: number | null): string | null => (document === null ? null : documentNumber(document));
/** Ordered by when the money arrived. The disputed amount is what the bank has taken and not returned. */
const payments = exportKind<PaymentRow>(
  `Reference,Studio,Paid at,Kind,State,Amount,Refunded,Disputed,Dispute,Tax invoice,Customer,Email,Payment`.split(','),
  `select x.paid_at::text as at, x.id, b.reference, b.studio_name as studio, x.paid_at as "paidAt", x.kind, x.state,
     coalesce(x.paid_cents, 0) as paid, x.refunded_cents as refunded, x.payment_intent_id as intent,
     (select coalesce(sum(d.amount_cents), 0)::int from private.dispute d
       where d.payment_id = x.id and d.status <> 'won' and d.provider_status not like 'warning\\_%' and d.provider_status <> 'prevented') as disputed,
     (select d.provider_status from private.dispute d where d.payment_id = x.id order by d.opened_at desc, d.id limit 1) as dispute,
     (select d.number from private.document d where d.payment_id = x.id and d.kind = 'invoice') as invoice,
     coalesce(p.full_name, b.guest_name) as name, coalesce(p.email, b.guest_email) as email
   from private.payment x join private.booking h on h.id = x.booking_id join private.booking b on b.id = coalesce(h.moves_booking, h.id)
   left join public.profiles p on p.user_id = b.user_id
   where x.paid_at >= $1::timestamptz and x.paid_at < $2::timestamptz and (x.paid_at, x.id) > ($3::timestamptz, $4::uuid)
   order by x.paid_at, x.id limit $5::int`,
  (x) => [
    x.reference,
    x.studio,
    x.paidAt,
    x.kind,
    x.state,
    { cents: x.paid },
    { cents: x.refunded },
    { cents: x.disputed },
    x.dispute,
    formatNumber(x.invoice),
    x.name,
    x.email,
    x.intent,
  ],
);

type RefundRow = Person & {
  readonly reference: string;
  readonly studio: string;
  readonly made: Date;
  readonly status: string;
  readonly cents: number;
  readonly madeBy: string;
  readonly note: number | null;
  readonly id: string;
  readonly intent: string | null;
};
/** Ordered by when we learned of the refund. Only refunds with the status "succeeded" have left the account. */
const refunds = exportKind<RefundRow>(
  `Reference,Studio,Made,Status,Amount,Made by,Adjustment note,Customer,Email,Refund,Payment`.split(','),
  `select r.created_at::text as at, r.id, b.reference, b.studio_name as studio, r.created_at as made, r.status, r.amount_cents as cents,
     case when x.kind = 'elsewhere' then 'us, by hand' when r.ours then 'us' else 'payment provider' end as "madeBy",
     (select d.number from private.document d where d.payment_id = x.id and d.refund_key = r.id and d.voided_at is null) as note,
     x.payment_intent_id as intent, coalesce(p.full_name, b.guest_name) as name, coalesce(p.email, b.guest_email) as email
   from private.refund r join private.payment x on x.id = r.payment_id join private.booking h on h.id = x.booking_id
   join private.booking b on b.id = coalesce(h.moves_booking, h.id)
   left join public.profiles p on p.user_id = b.user_id
   where r.created_at >= $1::timestamptz and r.created_at < $2::timestamptz and (r.created_at, r.id) > ($3::timestamptz, $4)
   order by r.created_at, r.id limit $5::int`,
  (r) => [
    r.reference,
    r.studio,
    r.made,
    r.status,
    { cents: r.cents },
    r.madeBy,
    formatNumber(r.note),
    r.name,
    r.email,
    r.id,
    r.intent,
  ],
);

type DisputeRow = Person & {
  readonly reference: string;
  readonly studio: string;
  readonly opened: Date;
  readonly status: string;
  readonly reason: string | null;
  readonly cents: number;
  readonly due: Date | null;
  readonly won: Date | null;
  readonly dispute: string;
  readonly intent: string | null;
};
/** Ordered by when the bank opened the dispute. Only disputes with an amount have moved money; inquiries have not. */
const disputes = exportKind<DisputeRow>(
  'Reference,Studio,Opened,Status,Reason,Amount,Answer by,Won,Customer,Email,Dispute,Payment'.split(','),
  `select d.opened_at::text as at, d.id, b.reference, b.studio_name as studio, d.opened_at as opened, d.provider_status as status, d.reason,
     d.amount_cents as cents, d.due_at as due, d.won_at as won, d.id as dispute, x.payment_intent_id as intent,
     coalesce(p.full_name, b.guest_name) as name, coalesce(p.email, b.guest_email) as email
   from private.dispute d join private.payment x on x.id = d.payment_id join private.booking h on h.id = x.booking_id
   join private.booking b on b.id = coalesce(h.moves_booking, h.id)
   left join public.profiles p on p.user_id = b.user_id
   where d.opened_at >= $1::timestamptz and d.opened_at < $2::timestamptz and (d.opened_at, d.id) > ($3::timestamptz, $4)
   order by d.opened_at, d.id limit $5::int`,
  (d) => [
    d.reference,
    d.studio,
    d.opened,
    d.status,
    d.reason,
    { cents: d.cents },
    d.due,
    d.won,
    d.name,
    d.email,
    d.dispute,
    d.intent,
  ],
);

const CHECKED_UNTIL = 'ID verified until';
type CustomerRow = Person & {
  readonly phone: string | null;
  readonly djName: string | null;
  readonly since: Date;
  readonly verifiedUntil: Date | null;
  readonly blocked: boolean;
  readonly bookings: number;
  readonly paid: number;
  readonly refunded: number;
};
/** Ordered by the day of sign-up, with what each customer has booked and paid so far. */
const customers = exportKind<CustomerRow>(
  ['Name', 'Email', 'Phone', 'DJ name', 'Since', CHECKED_UNTIL, 'Blocked', 'Bookings', 'Paid', 'Refunded'],
  `select p.created_at::text as at, p.user_id as id, p.full_name as name, p.email, p.phone, p.dj_name as "djName", p.created_at as since,
     v.until as "verifiedUntil", private.is_blocked(p.user_id, $6::timestamptz) as blocked, coalesce(m.bookings, 0)::int as bookings,
     coalesce(m.paid, 0)::float8 as paid, coalesce(m.refunded, 0)::float8 as refunded
   from public.profiles p
   left join lateral (select max(i.expires_at) as until from public.id_verifications i
     where i.user_id = p.user_id and i.verification_status = 'verified') v on true
   left join lateral (
     select count(*) filter (where b.status = 'confirmed') as bookings, sum(x.paid) as paid, sum(x.refunded) as refunded
     from private.booking b left join lateral (
       select sum(y.paid_cents) as paid, sum(y.refunded_cents) as refunded from private.payment y where y.booking_id = b.id) x on true
     where b.user_id = p.user_id and b.notes is distinct from 'test') m on true
   where p.created_at >= $1::timestamptz and p.created_at < $2::timestamptz and (p.created_at, p.user_id) > ($3::timestamptz, $4::uuid)
   order by p.created_at, p.user_id limit $5::int`,
  (p) => [
    p.name,
    p.email,
    p.phone,
    p.djName,
    p.since,
    p.verifiedUntil,
    p.blocked ? 'yes' : 'no',
    p.bookings,
    { cents: p.paid },
    { cents: p.refunded },
  ],
  (now) => [now],
);

type SaleRow = Person & {
  readonly day: Date;
  readonly number: string;
  /** The number of the tax invoice or adjustment note. */
  readonly document: number | null;
  readonly cents: number;
  /** For a dispute: whether the bank took the money (`opened`) or returned it (`won`). */
  readonly dispute: 'opened' | 'won' | null;
  readonly studio: string;
  readonly start: Date;
  readonly end: Date;
  readonly elsewhere: boolean;
  readonly registered: boolean;
  readonly account: string;
};
const saleWords = ({ cents, dispute }: SaleRow): string =>
  dispute === 'opened' ? 'Dispute: ' : dispute === 'won' ? 'Dispute won: ' : cents < 0 ? 'Refund: ' : '';
/** Sales have no GST until the business is registered. */
const xeroTax = (registered: boolean): string => (registered ? 'GST on Income' : 'BAS Excluded');
/** Xero expects dates in Australian order. */
const xeroDay = (at: Date): string => studioDate(at).split('-').toReversed().join('/');

/**
 * Sales for Xero: payments that arrived, and refunds and disputes as negative lines, which Xero imports as credit notes. A dispute that was
 * won is a separate line.
 */
const xero = exportKind<SaleRow>(
  `*ContactName,EmailAddress,*InvoiceNumber,Reference,*InvoiceDate,*DueDate,*Description,*Quantity,*UnitAmount,*AccountCode,*TaxType`.split(
    ',',
  ),
  `with sale as (
     (select x.paid_at as day, x.id::text as id, x.booking_id, x.kind, case when x.attempt > 1 then '-' || x.attempt else '' end as suffix, x.paid_cents as cents, null as dispute,
        x.id as payment_id, null as refund_key
      from private.payment x
      where x.paid_at >= $1::timestamptz and x.paid_at < $2::timestamptz and x.paid_cents > 0 and (x.paid_at, x.id::text) > ($3::timestamptz, $4)
      order by x.paid_at, x.id::text limit $5::int)
     union all
     (select r.created_at, r.id, x.booking_id, x.kind, '-R-' || right(r.id, 8), -r.amount_cents, null, x.id, r.id
      from private.refund r join private.payment x on x.id = r.payment_id
      where r.created_at >= $1::timestamptz and r.created_at < $2::timestamptz and r.status = 'succeeded' and (r.created_at, r.id) > ($3::timestamptz, $4)
      order by r.created_at, r.id limit $5::int)
     union all
     (select d.at, d.id, d.booking_id, 'card', case when d.cents < 0 then '-D-' else '-W-' end || right(d.dispute_id, 8), d.cents,
        case when d.cents < 0 then 'opened' else 'won' end, null, null
      from private.dispute_money($1::timestamptz, $2::timestamptz) d where (d.at, d.id) > ($3::timestamptz, $4)
      order by d.at, d.id limit $5::int)
   )
   select s.day::text as at, s.id, s.day, b.reference || s.suffix as number,
     (select d.number from private.document d where d.payment_id = s.payment_id and d.refund_key is not distinct from s.refund_key and d.voided_at is null) as document, s.cents, s.dispute, b.studio_name as studio, b.start_time as start, b.end_time as "end",
     s.kind = 'elsewhere' as elsewhere, private.business_settings() ->> 'abn' <> '' as registered, private.business_settings() ->> 'salesAccount' as account, coalesce(p.full_name, b.guest_name) as name, coalesce(p.email, b.guest_email) as email
   from sale s join private.booking h on h.id = s.booking_id join private.booking b on b.id = coalesce(h.moves_booking, h.id)
   left join public.profiles p on p.user_id = b.user_id
   order by s.day, s.id limit $5::int`,
  (s) => [
    s.name ?? s.email ?? 'Former customer',
    s.email,
    s.number,
    formatNumber(s.document),
    xeroDay(s.day),
    xeroDay(s.day),
    `${saleWords(s)}${s.studio}, ${formatStudioRange(s.start, s.end)}${s.elsewhere ? ' (not paid online)' : ''}`,
    1,
    { cents: s.cents },
    s.account,
    xeroTax(s.registered),
  ],
);

export const EXPORT_KINDS = { bookings, payments, refunds, disputes, customers, xero } as const satisfies Record<
  ExportName,
  ExportKind
>;

/** Columns with results of ID checks, which are exported only for staff with the permission `identity`. */
const ID_COLUMNS: readonly string[] = [CHECKED_UNTIL];

/** Returns an export kind without its columns for results of ID checks. */
export function withoutIds({ columns, read }: ExportKind): ExportKind {
  const kept = columns.map((name) => !ID_COLUMNS.includes(name));
  const keep = <Value>(row: readonly Value[]): Value[] => row.filter((_, index) => kept[index]);
  return {
    columns: keep(columns),
    async read(...page) {
      const found = await read(...page);
      return found && { ...found, rows: found.rows.map(keep) };
    },
  };
}
