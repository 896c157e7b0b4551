import type { Audit, Auditor } from './auditor.ts';

/** A query that lists violations: the promise, and a text about each row. */
type Rule = {
  readonly promise: string;
  readonly what: string;
  readonly sql: string;
  /** Whether it holds at every moment, and not only when everything owed is done. */
  readonly always?: true;
};

const RULES: readonly Rule[] = [
  {
    promise: 'G1',
    what: 'bookings overlap',
    always: true,
    sql: `select a.id || ' and ' || b.id as what from private.booking a join private.booking b
      on a.studio_id = b.studio_id and a.id < b.id and a.during && b.during
      where a.status in ('pending', 'confirmed') and b.status in ('pending', 'confirmed')
      and coalesce(a.moves_booking, a.id) <> coalesce(b.moves_booking, b.id)`,
  },
  {
    promise: 'G2',
    what: 'the hours of a booking are not whole hours',
    sql: `select id::text as what from private.booking
      where start_time <> date_trunc('hour', start_time) or end_time <> date_trunc('hour', end_time)`,
  },
  {
    promise: 'G41',
    what: 'a hold outlives its bound',
    sql: `select b.id || ' until ' || b.hold_expires_at as what from private.booking b
      where b.status = 'pending' and b.hold_expires_at < $1::timestamptz - interval '20 minutes'
      and not exists (select from private.payment p where p.state = 'processing'
        and p.booking_id in (b.id, b.order_id, b.moves_booking))`,
  },
  {
    promise: 'G52',
    what: 'an account holds more than two bookings without paying',
    always: true,
    sql: `select user_id || ' has ' || count(distinct coalesce(order_id, id)) as what from private.booking b
      where status = 'pending' and user_id is not null and made_by is null and not early
      and not exists (select from private.payment p where p.state = 'processing' and p.booking_id in (b.id, b.order_id))
      group by user_id having count(distinct coalesce(order_id, id)) > 2`,
  },
  {
    promise: 'G7',
    what: 'a discount code was used more often than it may be',
    always: true,
    sql: `select code as what from public.discount_codes where current_uses > max_uses`,
  },
  {
    promise: 'G7',
    what: 'the counter of a discount code differs from its uses',
    sql: `select d.code || ' counts ' || d.current_uses || ' of ' || count(r.booking_id) as what
      from public.discount_codes d
      left join private.coupon_redemption r on r.coupon_id = d.id and r.state <> 'returned'
      group by d.id having count(r.booking_id) <> d.current_uses`,
  },
  {
    promise: 'G48',
    what: 'a job that is due does not happen',
    sql: `select kind || ' of ' || subject_id || ', due ' || due_at || ', ' || tries || ' tries: ' || coalesce(last_error, '')
      as what from private.outbox where done_at is null and closed_at is null
      and greatest(due_at, created_at) < $1::timestamptz - interval '75 minutes'
      and (deadline_at is null or deadline_at > $1::timestamptz)`,
  },
  {
    promise: 'G48',
    what: 'a refund that is owed was given up',
    sql: `select id || ' ' || close_reason as what from private.outbox
      where kind like 'payment.refund%' and closed_at is not null and closed_by is null`,
  },
  {
    promise: 'G48',
    what: 'a payment that must go back stays, and nothing will be done about it',
    sql: `select p.id || ' of booking ' || p.booking_id || ', ' || p.amount_cents as what from private.payment p
      where p.state = 'refund_pending' and p.updated_at < $1::timestamptz - interval '75 minutes'
      and not exists (select from private.outbox o where o.subject_id = p.id and o.done_at is null)`,
  },
  {
    promise: 'G48',
    what: 'a part of a payment that must go back stays, and nothing will be done about it',
    sql: `select f.id || ' of payment ' || f.payment_id || ', ' || f.amount_cents as what from private.partial_refund f
      join private.payment p on p.id = f.payment_id where f.state = 'pending' and p.kind = 'card'
      and f.updated_at < $1::timestamptz - interval '75 minutes'
      and not exists (select from private.outbox o where o.subject_id = f.id and o.done_at is null)`,
  },
  {
    promise: 'G6',
    what: 'the price of a booking is not what its parts say',
    sql: `select b.id || ': ' || final_cost_cents as what from private.booking b where moves = 0 and order_id is null
      and made_by is null and moves_booking is null and final_cost_cents not in (0,
        greatest(0, base_cost_cents - discount_cents - coupon_discount_cents))`,
  },
  {
    promise: 'G31',
    what: 'a webhook that was accepted is not handled',
    sql: `select event_id || ' ' || type || ' ' || coalesce(last_error, '') as what from private.webhook_inbox
      where handled_at is null and received_at < $1::timestamptz - interval '75 minutes'`,
  },
];

/** Checks what the rows of the database must satisfy. */
export const auditRows: Auditor = (audit) => checkRules(audit, RULES);

/** Checks what must hold at every moment. */
export const auditMoment: Auditor = (audit) =>
  checkRules(
    audit,
    RULES.filter(({ always }) => always),
  );

async function checkRules({ world, db, report }: Audit, rules: readonly Rule[]): Promise<void> {
  const now = new Date(world.time.now());
  for (const { promise, what, sql } of rules) {
    const { rows } = await db.query<{ what: string }>(sql, sql.includes('$1') ? [now] : []);
    for (const row of rows) report(promise, `${what}: ${row.what}`);
  }
}
