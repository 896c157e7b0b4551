import { useQuery } from '@tanstack/react-query';
import { formatMoney } from '#rules/money.ts';
import { formatStudioRange } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Chip } from '#web/ui/chip.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { BookingLink } from './booking-link.tsx';
import { type GuestBooking, GUESTS_SHOWN, searchGuestBookings } from './guest-queries.ts';

const COLUMNS = ['Customer', 'Contact', 'Time', 'Room', 'Price', 'Reference'];

/** Lists the bookings without an account that match the words, by parts of name, address or phone number. */
export function GuestBookings({ words }: { words: string }) {
  useLive('staff', queryKeys.guestBookings.all);
  const found = useQuery({ queryKey: queryKeys.guestBookings.of(words), queryFn: () => searchGuestBookings(words) });
  return (
    <section aria-label="Bookings without an account" className="mt-12">
      <h2 className="mb-6 text-3xl">Bookings without an account</h2>
      <Loaded query={found} what="the bookings" why={describeLoadError} skeleton="h-48">
        {(data) => <List bookings={data} />}
      </Loaded>
    </section>
  );
}

function List({ bookings }: { bookings: readonly GuestBooking[] }) {
  if (bookings.length === 0) return <Empty>No bookings without an account match.</Empty>;
  return (
    <>
      <Table caption="Bookings without an account" columns={COLUMNS}>
        {bookings.map((booking) => (
          <Row key={booking.id}>
            <Cell label="Customer" className="break-words sm:max-lg:col-span-2">
              {booking.customer.name ?? 'No name'} {booking.status === 'cancelled' ? <Chip>Cancelled</Chip> : null}
              {booking.status === 'pending' ? <Chip tone="warn">Awaiting payment</Chip> : null}
            </Cell>
            <Cell label="Contact" className="text-sm break-words text-fog max-sm:col-span-full">
              {[booking.customer.email, booking.customer.phone].filter(Boolean).join(', ') || 'None'}
            </Cell>
            <Cell label="Time" className="tabular-nums">
              {formatStudioRange(booking.startTime, booking.endTime)}
            </Cell>
            <Cell label="Room">{booking.studioName}</Cell>
            <Cell label="Price" className="tabular-nums">
              {formatMoney(booking.finalCents)}
            </Cell>
            <Cell label="Reference">
              <BookingLink reference={booking.reference} />
            </Cell>
          </Row>
        ))}
      </Table>
      {bookings.length === GUESTS_SHOWN ? (
        <p className="mt-4 text-sm text-fog">Showing the latest {GUESTS_SHOWN}. Add a word to find others.</p>
      ) : null}
    </>
  );
}
