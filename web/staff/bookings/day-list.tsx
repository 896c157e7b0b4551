import { formatStudioDate, formatStudioTime, type StudioDate, studioDate } from '#rules/studio-time.ts';
import { Chip, StepBars } from '#web/ui/chip.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { BookingLink } from './booking-link.tsx';
import { type Day, type DayBooking, type DayClosure, nameCustomer, type StudioName } from './queries.ts';
import { describeReadiness, STEPS } from '#web/data/bookings/door-readiness.ts';

const COLUMNS = ['Time', 'Room', 'Customer', 'Door', 'Reference'];

/** Lists the bookings and closed hours of a day by their start. */
export function DayList({
  studios,
  day,
  content,
  now,
}: {
  studios: readonly StudioName[];
  day: StudioDate;
  content: Day;
  now: Date;
}) {
  const rows = [
    ...content.bookings.map((booking) => ({ at: booking.startTime, booking, closure: null })),
    ...content.closures.map((closure) => ({ at: closure.start, booking: null, closure })),
  ].toSorted((a, b) => a.at.getTime() - b.at.getTime());
  if (rows.length === 0) return <Empty>No bookings on {formatStudioDate(day)}.</Empty>;
  return (
    <Table caption={`Bookings on ${formatStudioDate(day)}`} columns={COLUMNS}>
      {rows.map(({ booking, closure }) =>
        booking === null ? (
          <ClosureRow
            key={`${closure.id} ${closure.studioId} ${closure.start.getTime()}`}
            closure={closure}
            studio={studios.find(({ id }) => id === closure.studioId)?.name ?? ''}
            day={day}
          />
        ) : (
          <BookingRow key={booking.id} booking={booking} day={day} now={now} />
        ),
      )}
    </Table>
  );
}

function BookingRow({ booking, day, now }: { booking: DayBooking; day: StudioDate; now: Date }) {
  const { startTime, endTime, customer } = booking;
  const contact = [customer.name === null ? null : customer.email, customer.phone].filter(Boolean);
  return (
    <Row>
      <Cell label="Time" className="tabular-nums">
        {formatTimes({ start: startTime, end: endTime }, day)}
        {startTime <= now && endTime > now ? (
          <>
            {' '}
            <Chip tone="signal">In session</Chip>
          </>
        ) : null}
      </Cell>
      <Cell label="Room">{booking.studioName}</Cell>
      <Cell label="Customer" className="break-words max-sm:col-span-full">
        {nameCustomer(booking)}
        <span className="block text-sm text-fog">{contact.join(', ')}</span>
        {booking.crew.length === 0 ? null : <span className="block text-sm">with {booking.crew.join(', ')}</span>}
      </Cell>
      <Cell label="Door">
        <StepBars steps={STEPS} {...describeReadiness(booking, now)} />
      </Cell>
      <Cell label="Reference">
        <BookingLink reference={booking.reference} />
      </Cell>
    </Row>
  );
}

function ClosureRow({ closure, studio, day }: { closure: DayClosure; studio: string; day: StudioDate }) {
  return (
    <Row>
      <Cell label="Time" className="tabular-nums">
        {formatTimes(closure, day)}
      </Cell>
      <Cell label="Room">{studio}</Cell>
      <Cell label="Closed" className="break-words text-fog max-sm:col-span-full">
        Closed: {closure.reason}
      </Cell>
      <Cell label="" className="max-lg:hidden">
        {' '}
      </Cell>
      <Cell label="" className="max-lg:hidden">
        {' '}
      </Cell>
    </Row>
  );
}

/** Formats times: "7 pm to 9 pm". A time on another day has its day. */
function formatTimes({ start, end }: { start: Date; end: Date }, day: StudioDate): string {
  const name = (at: Date): string =>
    studioDate(at) === day ? formatStudioTime(at) : `${formatStudioTime(at)}, ${formatStudioDate(at, 'short')}`;
  return `${name(start)} to ${name(end)}`;
}
