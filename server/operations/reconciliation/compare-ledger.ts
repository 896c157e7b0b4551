import { addDays, slotStart, type StudioDate, studioDate } from '#rules/studio-time.ts';
import type { ProviderLedger } from '#server/providers/ports.ts';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { compareLedger, type OwnItem } from './ledger-differences.ts';
import type { Services } from '../core/services.ts';

/** Webhooks of the last minutes may be under way. */
const SETTLES_MS = 15 * 60_000;
/** A payment at the end of a month can be stored in the next one. */
const AROUND_MS = 86_400_000;
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Begins the comparison of a month ('YYYY-MM') with the provider's ledger, as a job. Throws `Refusal` for a month that has not begun. */
export async function startLedgerCheck({ db, clock }: Services, month: string, actor: string): Promise<void> {
  const now = clock();
  if (month > studioDate(now).slice(0, 7))
    throw new Refusal('invalid_request', 'This month has not begun.', { field: 'month' });
  await db.query('select private.start_ledger_check($1::date, $2::uuid, $3::timestamptz)', [`${month}-01`, actor, now]);
}

/** Begins the nightly comparison: of this month, and of the month before for its last days. Does nothing when one began within `everyMs`. */
export async function startNightlyCheck(services: Services, everyMs: number): Promise<void> {
  const now = services.clock();
  const today = studioDate(now);
  const lastWeek = addDays(today, -7);
  for (const month of new Set([lastWeek.slice(0, 7), today.slice(0, 7)])) {
    const recent = await services.db.one(
      'select from private.ledger_check where month = $1::date and started_at > $2::timestamptz',
      [`${month}-01`, new Date(now.getTime() - everyMs)],
    );
    if (recent === null) await startLedgerCheck(services, month, NOBODY);
  }
}

/** Compares a month with the provider's ledger, and stores sums and differences. */
async function checkLedger({ db, payments, clock }: Services, job: Job): Promise<JobOutcome> {
  const row = await db.one<{ month: StudioDate }>(
    'select month::text as month from private.ledger_check where id = $1::uuid',
    [job.subjectId],
  );
  if (row === null) return 'done';
  const now = clock();
  const month = boundsOf(row.month);
  const ledger = await payments.listLedger(new Date(month.start.getTime() - AROUND_MS));
  const { rows } = await db.query<OwnItem>(
    `select kind, id, booking_id as "bookingId", amount_cents::int as "amountCents", currency, at
     from private.ledger_items($1::timestamptz, $2::timestamptz, $3::text[])`,
    [month.start, month.end, ledger.entries.map(({ id }) => id)],
  );
  const settledBefore = new Date(now.getTime() - SETTLES_MS);
  const { sums, differences } = compareLedger(rows, ledger.entries, { ...month, settledBefore });
  await db.query(
    'select private.finish_ledger_check($1::uuid, $2::text::jsonb, $3::text::jsonb, $4::timestamptz, $5::text::jsonb)',
    [
      job.subjectId,
      JSON.stringify(sums),
      JSON.stringify(differences),
      now,
      JSON.stringify(feesAndPayoutsOf(ledger, month)),
    ],
  );
  return 'done';
}

/** The fees that the provider took in a month, and the payouts that it made. */
function feesAndPayoutsOf(
  { fees, payouts }: Pick<ProviderLedger, 'fees' | 'payouts'>,
  { start, end }: { readonly start: Date; readonly end: Date },
) {
  const isIn = ({ createdAt }: { readonly createdAt: Date }): boolean => createdAt >= start && createdAt < end;
  return {
    feeCents: fees.filter(isIn).reduce((sum, { cents }) => sum + cents, 0),
    payouts: payouts
      .filter(isIn)
      .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
      .map(({ id, cents, createdAt, arrivesAt, returned }) => ({ id, cents, at: createdAt, arrivesAt, returned })),
  };
}

function boundsOf(first: StudioDate): { readonly start: Date; readonly end: Date } {
  const next = addDays(first, 31).slice(0, 7);
  const [start, end] = [slotStart(first, 0), slotStart(`${next}-01`, 0)];
  if (!start || !end) throw new RangeError(`no midnight at the beginning of ${first}`);
  return { start, end };
}

export const checkLedgerJob = defineJob({
  kind: 'payment.compare-ledger',
  worker: 'payments',
  alerts: 'once',
  handle: (services, job) => checkLedger(services, job),
});
