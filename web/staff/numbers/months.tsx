import { formatMoney } from '#rules/money.ts';
import { formatStudioDate } from '#rules/studio-time.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { Empty } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import type { MonthOfMoney } from './queries.ts';

/** GST is one eleventh of a price that includes it. */
const getGst = (cents: number): number => Math.round(cents / 11);
const getRemainingCents = (month: MonthOfMoney): number => month.paidCents - month.refundedCents - month.disputedCents;
const formatMonth = (month: string): string => formatStudioDate(`${month}-01`).replace(/^\S+ \S+ /, '');

/** The money of each month, as a number and a bar. */
export function Months({ months }: { months: readonly MonthOfMoney[] }) {
  const registered = useBusiness().abn !== '';
  if (months.length === 0) return <Empty>No money came in or went out on these days.</Empty>;
  const most = Math.max(...months.map((month) => month.paidCents), 1);
  return (
    <>
      <Table
        caption="Money by month"
        columns={['Month', 'Received', 'Refunded', 'Disputed', 'Net', 'GST included', 'Received, as a bar']}
      >
        {months.map((month) => (
          <Row key={month.month}>
            <Cell label="Month">{formatMonth(month.month)}</Cell>
            <Cell label="Received" className="tabular-nums">
              {formatMoney(month.paidCents)}
            </Cell>
            <Cell label="Refunded" className="tabular-nums">
              {formatMoney(month.refundedCents)}
            </Cell>
            <Cell label="Disputed" className="tabular-nums">
              {formatMoney(month.disputedCents)}
            </Cell>
            <Cell label="Net" className="tabular-nums">
              {formatMoney(getRemainingCents(month))}
            </Cell>
            <Cell label="GST included" className="tabular-nums">
              {registered ? formatMoney(getGst(getRemainingCents(month))) : '–'}
            </Cell>
            <Cell label="" className="lg:w-1/4">
              <svg aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none" className="h-2 w-full bg-deck">
                <rect width={(100 * month.paidCents) / most} height="8" className="fill-signal" />
              </svg>
            </Cell>
          </Row>
        ))}
      </Table>
      {registered ? null : <p className="mt-3 text-sm text-fog">Sales include no GST until the business has an ABN.</p>}
    </>
  );
}
