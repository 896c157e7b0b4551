import { formatMoney } from '#rules/money.ts';
import { describeOwed } from '#web/lib/business/owed.ts';
import { Fact, Facts } from '#web/ui/table.tsx';
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
      <Facts look="boxes" className="mt-4">
        {rows
          .filter(([, cents, kind]) => kind !== 'minus' || cents > 0)
          .map(([name, cents, kind]) => (
            <Fact key={name} name={name} tone={kind === 'sum' ? 'strong' : 'plain'}>
              {kind === 'minus' ? '-' : ''}
              {formatMoney(cents)}
            </Fact>
          ))}
        {paid > 0 ? <Fact name="Paid">{formatMoney(paid)}</Fact> : null}
        {refunded > 0 ? <Fact name="Sent back to you">{formatMoney(refunded)}</Fact> : null}
        {booking.refundingCents > 0 ? (
          <Fact name="On its way back to you">{formatMoney(booking.refundingCents)}</Fact>
        ) : null}
      </Facts>
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
