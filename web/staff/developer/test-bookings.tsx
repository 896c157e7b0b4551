import { useMutation } from '@tanstack/react-query';
import { formatStudioRange } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { useSession } from '#web/data/session.tsx';
import { Link } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Empty, Notice, Skeleton } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { endTestBooking, makeTestBooking, scheduleMail, type TestBooking, useTestBookings } from './queries.ts';

/** How far ahead the buttons book, in minutes. */
const AHEAD = [5, 30, 120];
const meta = { handled: true, invalidates: [queryKeys.testBookings.all] } as const;

/** Makes one-hour bookings that start soon, to test the door, the mails and the PIN page. Nothing is charged. */
export function TestBookings() {
  const { user } = useSession();
  const bookings = useTestBookings(user?.id ?? null);
  const make = useMutation({
    mutationFn: async (minutes: number) => {
      const booking = await makeTestBooking(minutes);
      await scheduleMail(booking, user?.email ?? '', 'due');
      return booking;
    },
    meta,
  });
  return (
    <>
      <div className="flex flex-wrap gap-3">
        {AHEAD.map((minutes) => (
          <Button
            key={minutes}
            busy={make.isPending && make.variables === minutes}
            disabled={make.isPending}
            onClick={() => make.mutate(minutes)}
          >
            In {minutes} minutes
          </Button>
        ))}
      </div>
      <div className="mt-6 space-y-6">
        {make.isError ? (
          <Notice tone="bad">
            <p>{describeError(make.error, 'The test booking could not be created.')}</p>
          </Notice>
        ) : null}
        {make.data ? (
          <Notice tone="good">
            <p>
              Booked {make.data.studioName}, {formatRange(make.data)}. Its code email is scheduled.
            </p>
          </Notice>
        ) : null}
        {bookings.isError ? (
          <Notice tone="bad">
            <p>The test bookings could not be loaded.</p>
            <Button tone="plain" className="mt-3" onClick={() => void bookings.refetch()}>
              Try again
            </Button>
          </Notice>
        ) : bookings.data ? (
          <List bookings={bookings.data} />
        ) : (
          <Skeleton className="h-40" label="Loading the test bookings" />
        )}
      </div>
    </>
  );
}

const formatRange = ({ startTime, endTime }: TestBooking): string => formatStudioRange(startTime, endTime);

function List({ bookings }: { bookings: readonly TestBooking[] }) {
  const end = useMutation({ mutationFn: endTestBooking, meta });
  if (bookings.length === 0) return <Empty>No test bookings.</Empty>;
  return (
    <>
      {end.isError ? (
        <Notice tone="bad">
          <p>{describeError(end.error, 'The test booking could not be ended.')}</p>
        </Notice>
      ) : null}
      <Table caption="Test bookings" columns={['Studio', 'When (Sydney time)', 'Reference', 'Actions']}>
        {bookings.map((booking) => (
          <Row key={booking.id}>
            <Cell label="Studio">{booking.studioName}</Cell>
            <Cell label="When (Sydney time)">{formatRange(booking)}</Cell>
            <Cell label="Reference">{booking.reference}</Cell>
            <Cell label="">
              <div className="flex flex-wrap gap-2">
                <Link to={paths.regeneratePin(booking.id)} className={buttonStyle.plain}>
                  Access code
                </Link>
                <Button
                  tone="danger"
                  busy={end.isPending && end.variables === booking.id}
                  disabled={end.isPending}
                  onClick={() => end.mutate(booking.id)}
                >
                  End <span className="sr-only">{booking.reference}</span>
                </Button>
              </div>
            </Cell>
          </Row>
        ))}
      </Table>
    </>
  );
}
