import { addDays, slotStart, type StudioDate, studioDate } from '#rules/studio-time.ts';
import type { ProviderLedger } from '#server/providers/ports.ts';
import { callRows, callSql } from '../core/call-sql.ts';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { compareLedger, ownItemSchema } from './ledger-differences.ts';
import type { Services } from '../core/services.ts';

/** Webhooks of the last minutes may still be on their way, so newer items are not compared unless both sides have them. */
const SETTLES_MS = 15 * 60_000;
/** Margin before the month, because a payment at the end of a month can be stored in the next one. */
const AROUND_MS = 86_400_000;
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Starts the comparison of a month ('YYYY-MM') with the provider's ledger, as a job. Throws `Refusal` for a future month. */
export async function startLedgerCheck({ db, clock }: Services, month: string, actor: string): Promise<void> {
  const now = clock();
  if (month > studioDate(now).slice(0, 7))
    throw new Refusal('invalid_request', 'This month has not started yet.', { field: 'month' });
  await callSql(db, 'start_ledger_check', { p_month: `${month}-01`, p_actor: actor, p_now: now });
}

/**
 * Starts the nightly comparison of this month and, during its first week, of the previous month. Does nothing if one was started within
 * `everyMs`.
 */
export async function startNightlyCheck(services: Services, everyMs: number): Promise<void> {
  const now = services.clock();
  const today = studioDate(now);
  const lastWeek = addDays(today, -7);
  for (const month of new Set([lastWeek.slice(0, 7), today.slice(0, 7)])) {
    const recent = await services.db.queryRow(
      'select from private.ledger_check where month = $1::date and started_at > $2::timestamptz',
      [`${month}-01`, new Date(now.getTime() - everyMs)],
    );
    if (recent === null) await startLedgerCheck(services, month, NOBODY);
  }
}

/** Compares a month with the provider's ledger and stores the sums and differences. */
async function checkLedger({ db, payments, clock }: Services, job: Job): Promise<JobOutcome> {
  const row = await db.queryRow<{ month: StudioDate }>(
    'select month::text as month from private.ledger_check where id = $1::uuid',
    [job.subjectId],
  );
  if (row === null) return 'done';
  const now = clock();
  const month = getBounds(row.month);
  const ledger = await payments.listLedger(new Date(month.start.getTime() - AROUND_MS));
  const rows = await callRows(db, 'ledger_items', {
    p_start: month.start,
    p_end: month.end,
    p_ids: ledger.entries.map(({ id }) => id),
  });
  const items = rows.map((row) => ownItemSchema.parse(row));
  const settledBefore = new Date(now.getTime() - SETTLES_MS);
  const { sums, differences } = compareLedger(items, ledger.entries, { ...month, settledBefore });
  await callSql(db, 'finish_ledger_check', {
    p_check: job.subjectId,
    p_sums: JSON.stringify(sums),
    p_differences: JSON.stringify(differences),
    p_now: now,
    p_fees_and_payouts: getFeesAndPayouts(ledger, month),
  });
  return 'done';
}

/** Returns the fees that the provider charged in a month and the payouts that it made. */
function getFeesAndPayouts(
  { fees, payouts }: Pick<ProviderLedger, 'fees' | 'payouts'>,
  { start, end }: { readonly start: Date; readonly end: Date },
) {
  const isIn = ({ createdAt }: { readonly createdAt: Date }): boolean => createdAt >= start && createdAt < end;
  return {
    feeCents: fees.filter(isIn).reduce((sum, { cents }) => sum + cents, 0),
    payouts: payouts
      .filter(isIn)
      .toSorted((payout, other) => payout.createdAt.getTime() - other.createdAt.getTime())
      .map(({ id, cents, createdAt, arrivesAt, returned }) => ({ id, cents, at: createdAt, arrivesAt, returned })),
  };
}

function getBounds(first: StudioDate): { readonly start: Date; readonly end: Date } {
  const next = addDays(first, 31).slice(0, 7);
  const [start, end] = [slotStart(first, 0), slotStart(`${next}-01`, 0)];
  if (!start || !end) throw new RangeError(`no midnight at the beginning of ${first}`);
  return { start, end };
}

export const checkLedgerJob = defineJob({
  kind: 'payment.compare-ledger',
  title: 'Payment comparison',
  worker: 'payments',
  alerts: 'once',
  handle: (services, job) => checkLedger(services, job),
});
