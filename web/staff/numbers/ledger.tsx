import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDate, formatStudioDateTime, studioDate } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { withBooking } from '#web/lib/paths.ts';
import { Link, useSearchParams } from '#web/router/router.tsx';
import { Button } from '#web/ui/button.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty, Notice } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import {
  type Difference,
  type LedgerCheck,
  monthsBefore,
  readLedgerCheck,
  startLedgerCheck,
} from './ledger-queries.ts';

const KINDS = { payment: 'Payments', refund: 'Refunds', dispute: 'Disputes' } as const;
const NAMES: Readonly<Record<Difference['name'], string>> = {
  missing_here: 'Missing here',
  missing_there: 'Missing at the provider',
  other_amount: 'Amounts differ',
  other_currency: 'Currencies differ',
};
const cents = (value: number | null): string => (value === null ? 'None' : formatMoney(value));

/** Compares a month with the payment provider's ledger: the sums of both sides, and each difference by name. */
export function Ledger() {
  const [months] = useState(() => monthsBefore(studioDate(new Date())));
  const [month, setMonth] = useState(months[0]?.value ?? '');
  useLive('staff', queryKeys.ledger.all);
  const check = useQuery({
    queryKey: queryKeys.ledger.of(month),
    queryFn: () => readLedgerCheck(month),
    refetchInterval: ({ state }) => (state.data?.finishedAt === null ? 3_000 : 60_000),
  });
  const start = useMutation({
    mutationFn: () => startLedgerCheck(month),
    meta: {
      title: 'Error',
      failure: 'The comparison was not started. Try again.',
      invalidates: [queryKeys.ledger.all],
    },
  });
  const running = check.data?.finishedAt === null;
  return (
    <section aria-labelledby="ledger">
      <h3 id="ledger" className="mt-10 mb-2 text-2xl">
        Payment provider
      </h3>
      <p className="mb-4 max-w-2xl text-fog">
        Compares each payment, refund and dispute of a Sydney month with the provider’s ledger. It runs every night and
        whenever you start it. Cash and free bookings are not included.
      </p>
      <div className="mb-6 flex flex-wrap items-end gap-4">
        <SelectField label="Month" value={month} options={months} onChange={(event) => setMonth(event.target.value)} />
        <Button tone="plain" busy={start.isPending || running} onClick={() => start.mutate()}>
          Compare month
        </Button>
      </div>
      <Loaded query={check} what="the comparison" why={describeLoadError} skeleton="h-48">
        {(data) => (data === null ? <Empty>This month has not been compared yet.</Empty> : <Result check={data} />)}
      </Loaded>
    </section>
  );
}

function Result({ check }: { check: LedgerCheck }) {
  const { finishedAt, problem, sums, differences, differenceCount } = check;
  if (finishedAt === null)
    return (
      <Notice tone={problem === null ? 'plain' : 'warn'}>
        {problem === null ? 'Comparing…' : `The provider did not answer (${problem}). We’ll keep trying.`}
      </Notice>
    );
  return (
    <>
      <p className="mb-4 text-sm text-dust">Compared on {formatStudioDateTime(finishedAt)} (Sydney time).</p>
      <Table caption="Totals" columns={['What', 'Here', 'At the provider', 'Difference']}>
        {sums.map(({ kind, here, there }) => (
          <Row key={kind}>
            <Cell label="What">{KINDS[kind]}</Cell>
            <Cell label="Here">{`${formatMoney(here.cents)} (${here.count})`}</Cell>
            <Cell label="At the provider">{`${formatMoney(there.cents)} (${there.count})`}</Cell>
            <Cell label="Difference">{formatMoney(here.cents - there.cents)}</Cell>
          </Row>
        ))}
      </Table>
      <FeesAndPayouts of={check.feesAndPayouts} />
      <h4 className="mt-8 mb-3 text-xl">Differences</h4>
      {differences.length === 0 ? (
        <Notice tone="good">All amounts match.</Notice>
      ) : (
        <Differences differences={differences} />
      )}
      {differenceCount > differences.length && (
        <p className="mt-4 text-sm text-fog">
          Showing the oldest {differences.length} of {differenceCount.toLocaleString('en-AU')} differences.
        </p>
      )}
    </>
  );
}

/** The provider's fees, and its payouts to the bank account. */
function FeesAndPayouts({ of }: { of: LedgerCheck['feesAndPayouts'] }) {
  if (of === null) return null;
  return (
    <>
      <h4 className="mt-8 mb-3 text-xl">Fees and payouts</h4>
      <p className="mb-4 max-w-2xl text-fog">
        The provider took {formatMoney(of.feeCents)} in fees. It pays out the rest a few days after each payment, so a
        month’s payouts differ from its payments.
      </p>
      {of.payouts.length === 0 ? (
        <Empty>No payouts this month.</Empty>
      ) : (
        <Table caption="Payouts" columns={['Paid out', 'At the bank', 'Amount']}>
          {of.payouts.map((payout) => (
            <Row key={`${payout.id} ${payout.returned}`}>
              <Cell label="Paid out">
                {formatStudioDate(payout.at, 'medium')}
                <span className="block text-sm break-all text-fog">{payout.id}</span>
              </Cell>
              <Cell label="At the bank">
                {payout.returned
                  ? 'Returned by the bank'
                  : payout.arrivesAt === null
                    ? 'Unknown'
                    : formatStudioDate(payout.arrivesAt, 'medium')}
              </Cell>
              <Cell label="Amount">{formatMoney(payout.cents)}</Cell>
            </Row>
          ))}
        </Table>
      )}
    </>
  );
}

function Differences({ differences }: { differences: readonly Difference[] }) {
  const [search] = useSearchParams();
  return (
    <Table caption="Differences" columns={['What', 'When', 'Booking', 'Here', 'At the provider']}>
      {differences.map((difference) => (
        <Row key={`${difference.kind} ${difference.id} ${difference.name}`}>
          <Cell label="What">
            {NAMES[difference.name]}
            <span className="block text-sm break-all text-fog">{difference.id}</span>
          </Cell>
          <Cell label="When">{formatStudioDateTime(difference.at)}</Cell>
          <Cell label="Booking">
            {difference.reference === null ? (
              'None'
            ) : (
              <Link
                to={withBooking(search, difference.reference)}
                className="underline decoration-edge underline-offset-4 hover:text-signal"
              >
                {difference.reference}
              </Link>
            )}
          </Cell>
          <Cell label="Here">{cents(difference.hereCents)}</Cell>
          <Cell label="At the provider">
            {cents(difference.thereCents)} {difference.currency === null ? '' : difference.currency.toUpperCase()}
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
