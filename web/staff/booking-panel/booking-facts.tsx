import { z } from 'zod';
import { formatMoney } from '#rules/money.ts';
import { describeOwed } from '#web/lib/business/owed.ts';
import { formatStudioDate, formatStudioDateTime, formatStudioRange } from '#rules/studio-time.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Chip, StepBars } from '#web/ui/chip.tsx';
import { Fact, Facts } from '#web/ui/table.tsx';
import { Documents } from './documents.tsx';
import { Mails } from './mails.tsx';
import type { BookingDetails } from './queries.ts';
import { describeReadiness, STEPS } from '#web/data/bookings/door-readiness.ts';

const STATUS = {
  pending: { tone: 'warn', words: 'Awaiting payment' },
  confirmed: { tone: 'good', words: 'Confirmed' },
  cancelled: { tone: 'bad', words: 'Cancelled' },
} as const;
const PAYMENTS: Readonly<Record<string, string>> = {
  intent: 'awaiting payment',
  open: 'awaiting payment',
  processing: 'processing, can take days',
  failed: 'failed',
  expired: 'expired',
  paid: 'paid',
  refund_pending: 'refund pending',
  refunded: 'refunded',
  refund_failed: 'refund failed',
  refund_manual: 'refunded by hand',
  disputed: 'disputed',
  dispute_lost: 'dispute lost',
};
const KINDS: Readonly<Record<string, string>> = { card: 'Card', free: 'Free', elsewhere: 'Other payment' };
const REFUNDS: Readonly<Record<string, string>> = {
  pending: 'pending',
  done: 'completed',
  covered: 'refunded another way',
  manual: 'made by hand',
};

const failureSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('declined'), details: z.object({ code: z.string(), message: z.string() }) }),
  z.object({
    action: z.literal('call_failed'),
    details: z.object({
      operation: z.string(),
      code: z.string(),
      message: z.string(),
      requestId: z.string().nullable(),
    }),
  }),
]);
type Failure = z.infer<typeof failureSchema>;

const OPERATIONS: Readonly<Record<string, string>> = {
  createCustomer: 'prepare the payment',
  createSession: 'open the pay page',
  getSession: 'report the payment status',
  findSession: 'find the payment',
  expireSession: 'close the pay page',
  chargeCard: 'charge the saved card',
  findCharge: 'find the saved-card payment',
  refund: 'issue the refund',
  listRefunds: 'list the refunds',
  listDisputes: 'list the disputes',
};

/** Style of a contact link, which is large enough for a thumb. */
const CONTACT =
  'block break-all underline decoration-edge underline-offset-4 hover:text-signal max-sm:flex max-sm:min-h-11 max-sm:items-center';

export function BookingFacts({ booking }: { booking: BookingDetails }) {
  const { customer, status } = booking;
  return (
    <>
      <div>
        <p className="text-lg font-bold">
          {booking.studioName}, {formatStudioRange(booking.startTime, booking.endTime)}
        </p>
        <p className="mt-2 flex flex-wrap gap-2">
          <Chip tone={STATUS[status].tone}>{STATUS[status].words}</Chip>
          {booking.noShow === null ? null : <Chip tone="warn">No-show</Chip>}
          {customer.blocked ? <Chip tone="bad">Customer blocked</Chip> : null}
          <span className="text-sm text-fog">Times are in Sydney time.</span>
        </p>
      </div>
      <Facts look="columns">
        <Fact name="Customer">
          <p>{customer.name ?? 'No name'}</p>
          {customer.email === null ? null : (
            <a className={CONTACT} href={`mailto:${customer.email}`}>
              {customer.email}
            </a>
          )}
          {customer.phone === null ? null : (
            <a className={CONTACT} href={`tel:${customer.phone}`}>
              {customer.phone}
            </a>
          )}
          {customer.hasAccount ? null : <p className="text-sm text-fog">No account</p>}
        </Fact>
        {customer.hasAccount && booking.mayReadId ? <Fact name="ID">{describeId(booking)}</Fact> : null}
        {booking.waiting === null ? null : (
          <Fact name="Pending move">
            <Waiting waiting={booking.waiting} />
          </Fact>
        )}
        <Fact name="Price">
          <Price booking={booking} />
        </Fact>
        <Fact name="Payments">
          <Payments booking={booking} />
        </Fact>
        {booking.documents.length === 0 ? null : (
          <Fact name="Documents">
            <Documents booking={booking} />
          </Fact>
        )}
        {status === 'confirmed' ? (
          <Fact name="Door">
            <Code booking={booking} />
          </Fact>
        ) : null}
        <Fact name="Emails">
          <Mails booking={booking} />
        </Fact>
        {booking.notes === null ? null : <Fact name="Note">{booking.notes}</Fact>}
        <Fact name="Created">{formatStudioDateTime(booking.createdAt)}</Fact>
        {booking.moves.length === 0 ? null : (
          <Fact name="Moved">
            <ul>
              {booking.moves.map((move) => (
                <li key={move.at.getTime()}>
                  From {move.studioName}, {formatStudioRange(move.startTime, move.endTime)}
                  <span className="text-sm text-fog"> {formatStudioDateTime(move.at)}</span>
                </li>
              ))}
            </ul>
          </Fact>
        )}
        {booking.cancelledAt === null ? null : (
          <Fact name="Cancelled">
            {formatStudioDateTime(booking.cancelledAt)}
            {booking.cancellation === null ? '' : `: ${booking.cancellation.reason}`}
          </Fact>
        )}
      </Facts>
      <History booking={booking} />
    </>
  );
}

/** New hours that are held until the difference is paid. */
function Waiting({ waiting }: { waiting: NonNullable<BookingDetails['waiting']> }) {
  return (
    <>
      <p>
        {waiting.studioName}, {formatStudioRange(waiting.startTime, waiting.endTime)}
      </p>
      <p className="text-sm text-fog">
        {formatMoney(waiting.cents)} is due by {formatStudioDateTime(waiting.until)}. The booking stays unchanged until
        it is paid.
      </p>
      {waiting.url === null ? null : (
        <a className="inline-flex min-h-11 items-center underline" href={waiting.url} target="_blank" rel="noreferrer">
          Open payment page
        </a>
      )}
    </>
  );
}

function describeId({ verification }: BookingDetails): string {
  if (verification === null) return 'Not checked';
  const { status, until } = verification;
  if (status === 'verified' && until !== null)
    return `${until > new Date() ? 'Verified until' : 'Expired on'} ${formatStudioDate(until, 'medium')}`;
  return status === 'review' ? 'Pending review' : 'Not verified';
}

function Price({ booking }: { booking: BookingDetails }) {
  const parts = [
    booking.discountCents > 0 ? `less ${formatMoney(booking.discountCents)} volume discount` : '',
    booking.couponCents > 0 ? `less ${formatMoney(booking.couponCents)} with ${booking.couponCode ?? 'a code'}` : '',
    booking.waivedCents > 0 ? `less ${formatMoney(booking.waivedCents)} waived` : '',
  ].filter(Boolean);
  const owed = describeOwed(booking.owedCents);
  return (
    <>
      {formatMoney(booking.finalCents)}
      {owed === null ? null : <p className="text-sm text-fog">{owed}</p>}
      {parts.length === 0 ? null : (
        <p className="text-sm text-fog">
          {formatMoney(booking.baseCents)}, {parts.join(', ')}
        </p>
      )}
    </>
  );
}

/** Shows payments and refunds; for owners also failed payments. */
function Payments({ booking }: { booking: BookingDetails }) {
  if (booking.payments.length === 0) return 'None';
  return (
    <>
      <ul>
        {booking.payments.map((payment) => (
          <li key={payment.at.getTime()}>
            {KINDS[payment.kind] ?? payment.kind}, {formatMoney(payment.cents)}:{' '}
            {PAYMENTS[payment.state] ?? payment.state}
            {payment.refundedCents > 0 ? `, ${formatMoney(payment.refundedCents)} refunded` : ''}
            <span className="text-sm text-fog"> {formatStudioDateTime(payment.at)}</span>
          </li>
        ))}
        {booking.refunds.map((refund) => (
          <li key={refund.at.getTime()}>
            Refund of {formatMoney(refund.cents)}: {REFUNDS[refund.state] ?? refund.state}
            <span className="text-sm text-fog">
              {' '}
              {refund.reason}, {formatStudioDateTime(refund.at)}
            </span>
          </li>
        ))}
      </ul>
      <PaymentFailures history={booking.history} />
    </>
  );
}

/** Shows why payments failed, from the audit log, newest first; for owners. */
function PaymentFailures({ history }: Pick<BookingDetails, 'history'>) {
  const failures = (history ?? []).flatMap((entry) => {
    const { data } = failureSchema.safeParse(entry);
    return data === undefined ? [] : [{ at: entry.at, failure: data }];
  });
  if (failures.length === 0) return null;
  return (
    <ul className="mt-1 space-y-1">
      {failures.map(({ at, failure }, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index}>
          <span className="text-bad">{describeFailure(failure)}</span>
          <span className="text-sm text-fog">
            {' '}
            {formatStudioDateTime(at)}
            {failure.action === 'call_failed' && failure.details.requestId !== null
              ? `, request ${failure.details.requestId}`
              : ''}
          </span>
        </li>
      ))}
    </ul>
  );
}

function describeFailure({ action, details }: Failure): string {
  const message = details.message === '' ? '' : ` ${details.message}`;
  if (action === 'declined') return `Card declined (${details.code.replaceAll('_', ' ')}).${message}`;
  return `The payment provider could not ${OPERATIONS[details.operation] ?? details.operation} (${details.code}).${message}`;
}

function Code({ booking }: { booking: BookingDetails }) {
  const { code } = booking;
  const readiness = describeReadiness(
    { ...booking, status: 'confirmed', isTest: booking.notes === 'test' },
    useNow(30_000),
  );
  const steps = [
    ['Issued', code.requested],
    ['Accepted by the lock', code.accepted],
    ['Emailed', code.mailed],
    ['Seen by the customer', code.seen],
    ['Door opened', code.used],
  ] as const;
  return (
    <>
      <StepBars steps={STEPS} {...readiness} />
      <ol className="mt-1 text-sm text-fog">
        {steps.map(([name, at]) => (at === null ? null : <li key={name}>{`${name}: ${formatStudioDateTime(at)}`}</li>))}
      </ol>
    </>
  );
}

/** Shows the entries of the audit log, newest first; for owners. */
function History({ booking }: { booking: BookingDetails }) {
  if (booking.history === null || booking.history.length === 0) return null;
  return (
    <details>
      <summary className="min-h-11 cursor-pointer py-2 font-semibold">History ({booking.history.length})</summary>
      <ul className="space-y-2">
        {booking.history.map((entry, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index} className="border-l-2 border-line pl-3 text-sm">
            <p>
              {formatStudioDateTime(entry.at)}: {entry.resource.replaceAll('_', ' ')} {entry.action},{' '}
              {entry.actor ?? 'the server'}
            </p>
            <p className="break-all text-fog">{JSON.stringify(entry.details)}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}
