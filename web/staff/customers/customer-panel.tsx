import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { formatDollars, formatMoney } from '#rules/money.ts';
import { formatStudioDate, formatStudioRange, formatStudioTime, isStudioDate } from '#rules/studio-time.ts';
import type { ListedBooking } from '#web/data/bookings/listed-bookings.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { withBooking } from '#web/lib/paths.ts';
import { Link, useSearchParams } from '#web/router/router.tsx';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty, Notice } from '#web/ui/notice.tsx';
import { Fact, Facts } from '#web/ui/table.tsx';
import { BlockForm, UnblockButton } from './block-form.tsx';
import { CustomerNotes } from './notes.tsx';
import { WithdrawForm } from './withdraw-form.tsx';
import { BOOKINGS_SHOWN, type Customer, readCustomerBookings, readCustomerIdentity } from './queries.ts';

const TONES: Readonly<Record<string, 'good' | 'warn'>> = { confirmed: 'good', pending: 'warn' };

/**
 * Shows what staff know about a customer: money, ID, block, notes, bookings and mails. `mayIdentify`: whether the account has the
 * permission `identity`, without which the ID is not shown. `mayRefund`: whether it has the permission `money`. `messages`: the mails.
 */
export function CustomerPanel({
  customer,
  mayIdentify,
  mayRefund,
  messages,
}: {
  customer: Customer;
  mayIdentify: boolean;
  mayRefund: boolean;
  messages: ReactNode;
}) {
  const [doing, setDoing] = useState<'block' | 'withdraw' | null>(null);
  const back = (): void => setDoing(null);
  if (doing === 'block') return <BlockForm customer={customer} mayRefund={mayRefund} onDone={back} />;
  if (doing === 'withdraw') return <WithdrawForm customer={customer} onDone={back} />;
  return (
    <div className="space-y-6">
      <CustomerFacts customer={customer} mayIdentify={mayIdentify} />
      {customer.block_reason === null ? null : (
        <Notice tone="warn">
          <p className="font-semibold">
            {customer.blocked_until === null
              ? 'Blocked'
              : `Blocked until ${formatStudioDate(new Date(customer.blocked_until))}, ${formatStudioTime(new Date(customer.blocked_until))}`}
          </p>
          <p className="mt-1 mb-3 break-words text-fog">{customer.block_reason}</p>
          <UnblockButton customer={customer} />
        </Notice>
      )}
      <div className="flex flex-wrap gap-3 empty:hidden">
        {customer.block_reason === null ? (
          <Button tone="plain" onClick={() => setDoing('block')}>
            Block customer
          </Button>
        ) : null}
        {customer.verified_until === null || !mayIdentify ? null : (
          <Button tone="plain" onClick={() => setDoing('withdraw')}>
            Withdraw ID
          </Button>
        )}
      </div>
      <CustomerNotes userId={customer.user_id} />
      <Bookings userId={customer.user_id} />
      {messages}
    </div>
  );
}

function ContactLink({ scheme, address }: { scheme: 'mailto' | 'tel'; address: string | null }) {
  return address === null ? (
    'None'
  ) : (
    <a
      href={`${scheme}:${address}`}
      className="break-all underline decoration-edge underline-offset-4 hover:text-signal max-sm:flex max-sm:min-h-11 max-sm:items-center"
    >
      {address}
    </a>
  );
}

function CustomerFacts({ customer, mayIdentify }: { customer: Customer; mayIdentify: boolean }) {
  const { verified_until: until } = customer;
  const identity = useQuery({
    queryKey: queryKeys.customerIdentity.of(customer.user_id),
    queryFn: () => readCustomerIdentity(customer.user_id),
    enabled: mayIdentify,
  });
  const describe = (value: string | null | undefined): string =>
    identity.isError ? 'Not loaded' : identity.isPending ? 'Loading…' : (value ?? 'None');
  const born = identity.data?.date_of_birth ?? null;
  const facts = [
    ['Email', <ContactLink key="email" scheme="mailto" address={customer.email} />],
    ['Phone', <ContactLink key="phone" scheme="tel" address={customer.phone} />],
    ['Customer since', formatStudioDate(new Date(customer.created_at), 'medium')],
    ...(mayIdentify
      ? ([
          ['ID', until === null ? 'Not verified' : `Verified until ${formatStudioDate(new Date(until), 'medium')}`],
          ['Born', describe(born !== null && isStudioDate(born) ? formatStudioDate(born, 'medium') : null)],
          ['Address', describe(identity.data?.address)],
        ] as const)
      : []),
    ['Paid', formatDollars(customer.paid)],
    ['Refunded', formatDollars(customer.refunded)],
  ] as const;
  return (
    <Facts look="columns">
      {facts.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </Facts>
  );
}

function Bookings({ userId }: { userId: string }) {
  const bookings = useQuery({
    queryKey: queryKeys.customerBookings.of(userId),
    queryFn: () => readCustomerBookings(userId),
  });
  return (
    <Loaded query={bookings} what="the bookings" why={describeLoadError} skeleton="h-32">
      {(data) =>
        data.length === 0 ? (
          <Empty>No bookings.</Empty>
        ) : (
          <section>
            <h3 className="mb-3 text-2xl">Bookings</h3>
            <ul className="space-y-2">
              {data.map((booking) => (
                <BookingLine key={booking.id} booking={booking} />
              ))}
            </ul>
            {data.length === BOOKINGS_SHOWN ? (
              <p className="mt-3 text-sm text-fog">Showing the last {BOOKINGS_SHOWN}.</p>
            ) : null}
          </section>
        )
      }
    </Loaded>
  );
}

function BookingLine({ booking }: { booking: ListedBooking }) {
  const [search] = useSearchParams();
  return (
    <li>
      <Link
        to={withBooking(search, booking.reference)}
        className="underline decoration-edge underline-offset-4 hover:text-signal max-sm:inline-flex max-sm:min-h-11 max-sm:items-center"
      >
        {booking.reference}
      </Link>
      : {booking.studioName}, {formatStudioRange(booking.startTime, booking.endTime)}, {formatMoney(booking.finalCents)}{' '}
      <Chip tone={TONES[booking.status] ?? 'plain'}>
        <span className="capitalize">{booking.status}</span>
      </Chip>
    </li>
  );
}
