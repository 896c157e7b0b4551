import type { World } from '../world/world.ts';
import type { Auditor } from './auditor.ts';

/** A payment session and its refunds according to the provider. Amounts in cents. */
type ProviderPayment = {
  readonly id: string;
  readonly payment_status: string;
  readonly amount_total: number;
  readonly client_reference_id: string;
  readonly payment_intent: string | null;
};
type ProviderRefund = {
  readonly id: string;
  readonly payment_intent: string;
  readonly amount: number;
  readonly status: string;
};
type ProviderDispute = { readonly payment_intent: string };

type OwnPayment = {
  session_id: string | null;
  payment_intent_id: string | null;
  state: string;
  booking_id: string;
  paid_cents: number | null;
  was_processing: boolean;
  refunded_cents: number;
  booking_status: string;
  cancel_reason: string | null;
};

const OWN_PAYMENTS = `
select p.session_id, p.payment_intent_id, p.state, p.booking_id, p.paid_cents, p.refunded_cents, p.processing_at is not null as was_processing, b.status as booking_status, b.cancel_reason
from private.payment p join private.booking b on b.id = p.booking_id where p.kind = 'card'`;

/** Reasons for which a booking never took place for its customer, so that no money may stay. */
const NEVER_HAPPENED = ['hold_expired', 'abandoned', 'payment_failed', 'slot_lost', 'amount_mismatch', 'replaced'];

/** Delayed payments that were paid at the provider and not yet here when an auditor first saw them. */
const settling = new WeakMap<World, Set<string>>();

/** Money that took days may arrive a moment before the audit. Returns false the next night. */
function isSettling(world: World, id: string, rows: readonly OwnPayment[] | undefined): boolean {
  const seen = settling.get(world) ?? new Set<string>();
  settling.set(world, seen);
  if (seen.has(id) || rows?.some(({ state }) => state === 'processing') !== true) return false;
  seen.add(id);
  return true;
}

/** A hold is released only after the provider has closed its session, so it can no longer be paid. */
const isReleased = ({ booking_status: status, cancel_reason: reason }: OwnPayment): boolean =>
  status === 'cancelled' && (reason === 'hold_expired' || reason === 'abandoned');

/** Every cent at the provider belongs to a booking that is kept, or has gone back, and our rows say the same. */
export const auditMoney: Auditor = async ({ world, db, report }) => {
  const { rows: own } = await db.query<OwnPayment>(OWN_PAYMENTS);
  const payments = await world.control<ProviderPayment[]>('/payments');
  const refunds = (await world.control<ProviderRefund[]>('/refunds')).filter(
    ({ status }) => status === 'succeeded' || status === 'pending',
  );
  const disputed = new Set(
    (await world.control<ProviderDispute[]>('/disputes')).map(({ payment_intent: intent }) => intent),
  );
  const bySession = Map.groupBy(own, ({ session_id: id }) => id ?? '');
  const byIntent = Map.groupBy(own, ({ payment_intent_id: id }) => id ?? '');
  for (const {
    id,
    payment_status: status,
    amount_total: amount,
    payment_intent: intent,
    client_reference_id: bookingId,
  } of payments) {
    if (status !== 'paid' || intent === null) continue;
    const rows = byIntent.get(intent) ?? [];
    if (isSettling(world, id, bySession.get(id))) continue;
    const name = `${id} of booking ${bookingId}`;
    if (!bySession.has(id)) report('G3', `the provider has the paid session ${name}, and no row knows it`);
    const paid = rows.reduce((sum, row) => sum + (row.paid_cents ?? 0), 0);
    if (paid !== amount) report('G3', `${name}: the provider has ${amount}, our rows ${paid}`);
    const back = refunds
      .filter(({ payment_intent: other }) => other === intent)
      .reduce((sum, refund) => sum + refund.amount, 0);
    const ownBack = rows.reduce((sum, row) => sum + row.refunded_cents, 0);
    if (back > amount) report('G3', `${name}: ${back} of ${amount} went back`);
    if (ownBack !== back) report('G55', `${name}: the provider returned ${back}, our rows say ${ownBack}`);
    const released = rows.find((row) => isReleased(row) && !row.was_processing);
    if (released) report('G3', `${name} was paid after its hours were released (${released.cancel_reason})`);
    const lost = rows.find(
      (row) => row.booking_status === 'cancelled' && NEVER_HAPPENED.includes(row.cancel_reason ?? ''),
    );
    if (lost && rows.length === 1 && back < amount && !disputed.has(intent))
      report(
        'G3',
        `${name} was paid, the booking is cancelled (${lost.cancel_reason}), and only ${back} of ${amount} went back`,
      );
  }
};

const UNPAID = `
select b.id, b.final_cost_cents, b.waived_cents, b.moves, coalesce(sum(p.paid_cents) filter (where p.kind = 'card'), 0)::int as paid
from private.booking b left join private.payment p on p.booking_id = b.id
where b.status = 'confirmed' and b.order_id is null and b.moves = 0
  and not exists (select from private.payment f where f.booking_id = b.id and f.kind in ('free', 'elsewhere'))
group by b.id having b.final_cost_cents > 0 and coalesce(sum(p.paid_cents), 0) < b.final_cost_cents`;

/** A confirmed booking was paid in full. */
export const auditUnpaid: Auditor = async ({ db, report }) => {
  const { rows } = await db.query<{ id: string; final_cost_cents: number; paid: number }>(UNPAID);
  for (const { id, final_cost_cents: cost, paid } of rows)
    report('G4', `booking ${id} is confirmed, costs ${cost}, and ${paid} was paid`);
};

const DIFFERENCES = 'select kind, name, provider_id, here_cents, there_cents from private.ledger_difference';

/** The server's own comparison with the provider finds nothing. */
export const auditLedger: Auditor = async ({ db, report }) => {
  const { rows } = await db.query<Record<string, unknown>>(DIFFERENCES);
  for (const row of rows) report('G55', `the comparison with the provider found ${JSON.stringify(row)}`);
};

const TOO_MUCH = `
select b.id, b.final_cost_cents, sum(p.paid_cents - p.refunded_cents)::int as kept, coalesce(sum(f.cents), 0)::int as decided
from private.booking b join private.payment p on p.booking_id = b.id and p.paid_cents is not null
left join lateral (select sum(x.amount_cents) as cents from private.partial_refund x where x.payment_id = p.id) f on true
where b.status = 'confirmed' and b.order_id is null and b.moves = 0
group by b.id having bool_and(p.kind = 'card' and p.dispute_id is null)
  and sum(p.paid_cents - p.refunded_cents) < b.final_cost_cents - coalesce(sum(f.cents), 0)`;

/** Of the money for a kept booking, no more goes back than someone decided. */
export const auditDecided: Auditor = async ({ db, report }) => {
  const { rows } = await db.query<{ id: string; final_cost_cents: number; kept: number; decided: number }>(TOO_MUCH);
  for (const { id, final_cost_cents: cost, kept, decided } of rows)
    report('G51', `of booking ${id} for ${cost} only ${kept} is kept, and a refund of ${decided} was decided`);
};
