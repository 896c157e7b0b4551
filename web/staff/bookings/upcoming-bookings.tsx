import { useQuery } from '@tanstack/react-query';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDate, formatStudioTime, studioDate } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useNow } from '#web/lib/use-now.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Chip } from '#web/ui/chip.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { BookingLink } from './booking-link.tsx';
import { type Booker, BOOKINGS_SHOWN, readBookers, readUpcomingBookings, type UpcomingBooking } from './queries.ts';

const COLUMNS = ['Time', 'Room', 'Customer', 'Status', 'Price', 'Reference'];

/** Lists the upcoming bookings by day, read-only. */
export function UpcomingBookings() {
  useLive('staff', queryKeys.staffBookings.all);
  const bookings = useQuery({
    queryKey: queryKeys.staffBookings.of(),
    queryFn: readUpcomingBookings,
    refetchInterval: 60_000,
  });
  const ids = [...new Set(bookings.data?.flatMap(({ userId }) => (userId === null ? [] : [userId])))].toSorted();
  const bookers = useQuery({
    queryKey: queryKeys.bookers.of(ids),
    queryFn: () => readBookers(ids),
    staleTime: 300_000,
  });
  return (
    <>
      <h2 className="text-3xl">Bookings</h2>
      <p className="mt-2 mb-6 text-fog">
        Upcoming bookings, in Sydney time.
        {bookings.data?.length === BOOKINGS_SHOWN ? ` Showing the next ${BOOKINGS_SHOWN}.` : ''}
      </p>
      <Loaded query={bookings} what="the bookings" why={describeLoadError} skeleton="h-96">
        {(data) =>
          data.length === 0 ? (
            <Empty>No upcoming bookings.</Empty>
          ) : (
            <div className="space-y-10">
              {byDay(data).map(([day, list]) => (
                <Day key={day} day={day} bookings={list} bookers={bookers.data} />
              ))}
            </div>
          )
        }
      </Loaded>
    </>
  );
}

function byDay(bookings: readonly UpcomingBooking[]): readonly (readonly [string, readonly UpcomingBooking[]])[] {
  return [...Map.groupBy(bookings, ({ startTime }) => studioDate(startTime))];
}

function Day({
  day,
  bookings,
  bookers,
}: {
  day: string;
  bookings: readonly UpcomingBooking[];
  bookers: ReadonlyMap<string, Booker> | undefined;
}) {
  const now = useNow(30_000);
  return (
    <section aria-label={formatStudioDate(day)}>
      <h3 className="mb-3 text-2xl">{formatStudioDate(day)}</h3>
      <Table caption={`Bookings on ${formatStudioDate(day)}`} columns={COLUMNS}>
        {bookings.map((booking) => (
          <Row key={booking.id}>
            <Cell label="Time" className="whitespace-nowrap tabular-nums">
              {formatTimes(booking)}
            </Cell>
            <Cell label="Room">{booking.studioName}</Cell>
            <Cell label="Customer" className="break-words max-sm:col-span-full">
              <Customer booking={booking} booker={booking.userId === null ? undefined : bookers?.get(booking.userId)} />
            </Cell>
            <Cell label="Status">
              <Eligibility booking={booking} now={now} />
            </Cell>
            <Cell label="Price" className="tabular-nums">
              {formatMoney(booking.finalCents)}
            </Cell>
            <Cell label="Reference">
              <BookingLink reference={booking.reference} />
            </Cell>
          </Row>
        ))}
      </Table>
    </section>
  );
}

/** Formats the times: "7 pm to 9 pm". A session past midnight names its second day. */
function formatTimes({ startTime: start, endTime: end }: UpcomingBooking): string {
  const later = studioDate(start) === studioDate(end) ? '' : `, ${formatStudioDate(end, 'short')}`;
  return `${formatStudioTime(start)} to ${formatStudioTime(end)}${later}`;
}

/** Shows the phone number given at checkout, followed by the account's number if it differs. */
function Customer({ booking, booker }: { booking: UpcomingBooking; booker: Booker | undefined }) {
  if (!booker) return <Guest booking={booking} />;
  const given = booking.customer.phone;
  const own = given !== null && booker.phone !== null && booker.phone !== given ? `${booker.phone} (account)` : null;
  return (
    <>
      {booker.full_name ?? booker.email}
      <span className="block text-sm text-fog">
        {[booker.email, given ?? booker.phone, own].filter(Boolean).join(', ')}
      </span>
    </>
  );
}

/** A customer without an account, with the details that staff entered. */
function Guest({ booking: { customer } }: { booking: UpcomingBooking }) {
  const given = [customer.name, customer.email, customer.phone].filter((text) => text !== null);
  const [name = 'No name', ...contact] = given;
  return (
    <>
      {name}
      <span className="block text-sm text-fog">{contact.join(', ')}</span>
    </>
  );
}

function Eligibility({ booking, now }: { booking: UpcomingBooking; now: Date }) {
  if (booking.status === 'pending') return <Chip tone="warn">Awaiting payment</Chip>;
  if (booking.isTest) return <Chip>Test</Chip>;
  return booking.startTime <= now ? <Chip tone="signal">In session</Chip> : <Chip tone="good">Confirmed</Chip>;
}
