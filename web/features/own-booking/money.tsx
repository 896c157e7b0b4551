import { formatMoney } from '#rules/money.ts';
import { describeOwed } from '#web/lib/business/owed.ts';
import type { BookingPage } from './queries.ts';

/** Shows what a booking costs, what was paid for it, and what was or will be refunded. */
export function Money({ booking }: { booking: BookingPage }) {
  const paid = booking.payments.reduce((sum, { cents }) => sum + cents, 0);
  const refunded = booking.refunds.reduce((sum, { cents }) => sum + cents, 0);
  const owed = describeOwed(booking.owedCents);
  const rows: [string, number, ('minus' | 'sum')?][] = [
    [booking.totalHours === 1 ? '1 hour' : `${booking.totalHours} hours`, booking.baseCents],
    ['Volume discount', booking.discountCents, 'minus'],
    [booking.couponCode === null ? 'Coupon' : `Coupon ${booking.couponCode}`, booking.couponCents, 'minus'],
    ['Not charged', booking.waivedCents, 'minus'],
    ['Price', booking.finalCents, 'sum'],
  ];
  return (
    <section aria-labelledby="money">
      <h2 id="money" className="text-2xl">
        Money
      </h2>
      <dl className="mt-4 grid gap-px bg-line">
        {rows
          .filter(([, cents, kind]) => kind !== 'minus' || cents > 0)
          .map(([name, cents, kind]) => (
            <Row
              key={name}
              name={name}
              value={`${kind === 'minus' ? '-' : ''}${formatMoney(cents)}`}
              strong={kind === 'sum'}
            />
          ))}
        {paid > 0 ? <Row name="Paid" value={formatMoney(paid)} /> : null}
        {refunded > 0 ? <Row name="Sent back to you" value={formatMoney(refunded)} /> : null}
        {booking.refundingCents > 0 ? (
          <Row name="On its way back to you" value={formatMoney(booking.refundingCents)} />
        ) : null}
      </dl>
      {owed === null ? null : <p className="mt-2 text-sm text-dust">{owed}</p>}
      {booking.refundingCents > 0 ? <p className="mt-2 text-sm text-dust">{describeRefunding(booking)}</p> : null}
    </section>
  );
}

/** Describes how long a refund takes to arrive. Staff themselves refund what was not paid online. */
function describeRefunding({ payments }: Pick<BookingPage, 'payments'>): string {
  const bank = 'Your bank can take up to ten days to show a refund.';
  const byHand = 'What you didn’t pay online, we’ll give you ourselves.';
  if (payments.every(({ online }) => online)) return bank;
  return payments.some(({ online }) => online) ? `${bank} ${byHand}` : byHand;
}

function Row({ name, value, strong = false }: { name: string; value: string; strong?: boolean }) {
  return (
    <div className={`flex flex-wrap justify-between gap-x-4 bg-booth px-4 py-3 ${strong ? 'font-bold' : ''}`}>
      <dt className={strong ? '' : 'text-fog'}>{name}</dt>
      <dd className="tabular-nums">{value}</dd>
    </div>
  );
}
