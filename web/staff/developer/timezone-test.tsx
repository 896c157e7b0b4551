import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { formatStudioDate, formatStudioRange, studioDate } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Notice, Skeleton } from '#web/ui/notice.tsx';
import { readBooking } from './queries.ts';
import { clocksAt, compareZones, oddDays, type ZoneCheck } from './zone-check.ts';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DAYS = 366;
const NO_ID = 'This isn’t a booking ID.';
const isId = (text: string): boolean => text === '' || ID.test(text);
const schema = z.object({ booking: z.string().trim().refine(isId, NO_ID) });

/** Checks that Sydney time is computed the same everywhere: now, over the next year, and for a stored booking. */
export function TimezoneTest({ bookingId, onBooking }: { bookingId: string; onBooking: (id: string) => void }) {
  const now = useNow(1_000);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [check, setCheck] = useState<ZoneCheck | null>(null);
  return (
    <div className="space-y-12">
      <section aria-label="Now">
        <h2 className="mb-4 text-3xl">Now</h2>
        <Clocks at={now} zone={zone} />
        <ul className="mt-4 text-fog">
          {oddDays(studioDate(now)).map((oddDay) => (
            <li key={oddDay.date}>
              {formatStudioDate(oddDay.date)} has {oddDay.hours} hours.
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="The coming year">
        <h2 className="mb-4 text-3xl">The coming year</h2>
        <Button tone="plain" onClick={() => setCheck(compareZones(new Date(), DAYS))}>
          Run Timezone Test
        </Button>
        <div className="mt-4" aria-live="polite">
          {check === null ? null : (
            <Notice tone={check.differences.length === 0 ? 'good' : 'bad'}>
              <p>
                {check.differences.length === 0
                  ? `Our rules and this browser agree on all ${check.hours} hours.`
                  : `They differ on ${check.differences.length} hours, starting at ${check.differences[0]}.`}
              </p>
            </Notice>
          )}
        </div>
      </section>
      <StoredBooking bookingId={bookingId} onBooking={onBooking} zone={zone} />
    </div>
  );
}

function StoredBooking({
  bookingId,
  onBooking,
  zone,
}: {
  bookingId: string;
  onBooking: (id: string) => void;
  zone: string;
}) {
  const valid = isId(bookingId);
  const booking = useQuery({
    queryKey: queryKeys.storedBooking.of(bookingId),
    queryFn: () => readBooking(bookingId),
    enabled: valid,
  });
  const form = useSchemaForm(schema, { defaultValues: { booking: bookingId } });
  return (
    <section aria-label="A stored booking">
      <h2 className="mb-4 text-3xl">A stored booking</h2>
      <Form
        form={form}
        onSend={({ booking }) => onBooking(booking)}
        getTitle={() => null}
        className="mb-6 flex flex-wrap items-end gap-3"
      >
        <TextField
          control={form.control}
          label="Booking ID"
          name="booking"
          autoComplete="off"
          className="min-w-60 grow"
          hint="Leave empty for the newest booking."
          problem={valid ? null : NO_ID}
        />
        <SubmitButton control={form.control} tone="plain" className="mb-7">
          Read
        </SubmitButton>
      </Form>
      {booking.isError ? (
        <Notice tone="bad">
          <p>{describeError(booking.error, 'The booking could not be read.')}</p>
        </Notice>
      ) : booking.data ? (
        <>
          <p className="mb-4">
            {booking.data.studioName}, {formatStudioRange(booking.data.startTime, booking.data.endTime)}{' '}
            <span className="text-fog">Sydney time</span>
          </p>
          <Clocks at={booking.data.startTime} zone={zone} />
          <p className="mt-3 text-sm text-dust">As stored: {booking.data.storedStart}</p>
        </>
      ) : booking.data === null ? (
        <p className="text-fog">No booking has this ID.</p>
      ) : valid ? (
        <Skeleton className="h-40" label="Loading the booking" />
      ) : null}
    </section>
  );
}

function Clocks({ at, zone }: { at: Date; zone: string }) {
  return (
    <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2">
      {clocksAt(at, zone).map((clock) => (
        <div key={clock.name} className="border-l-4 border-line bg-booth p-4">
          <dt className="text-sm text-dust">{clock.name}</dt>
          <dd className="text-lg tabular-nums">{clock.reads}</dd>
        </div>
      ))}
    </dl>
  );
}
