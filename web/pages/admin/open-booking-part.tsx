import { Suspense, useState } from 'react';
import { useStudios } from '#web/features/studios/queries.ts';
import { useSearchParams } from '#web/router/router.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import { Disputes } from './sections-part.tsx';

const BookingDialog = lazyPart(async () => ({
  default: (await import('#web/staff/booking-panel/booking-dialog.tsx')).BookingDialog,
}));

const BookingSeries = lazyPart(async () => ({
  default: (await import('#web/staff/series/booking-series.tsx')).BookingSeries,
}));

const BookingCrew = lazyPart(async () => ({
  default: (await import('#web/staff/bookings/booking-crew.tsx')).BookingCrew,
}));

const BookingDoorLog = lazyPart(async () => ({
  default: (await import('#web/staff/doors/booking-door-log.tsx')).BookingDoorLog,
}));

/** Shows the booking named in the address on top of any tab. The code is fetched with the first booking. */
export function OpenBooking({ mayRefund }: { mayRefund: boolean }) {
  const [search, setSearch] = useSearchParams();
  const studios = useStudios();
  const reference = search.get('booking');
  const [opened, setOpened] = useState(reference !== null);
  if (reference !== null && !opened) setOpened(true);
  if (!opened) return null;
  const { booking: _, ...rest } = Object.fromEntries(search);
  return (
    <Suspense>
      <BookingDialog
        studios={studios.data ?? []}
        reference={reference}
        mayRefund={mayRefund}
        more={({ id, reference }) => (
          <Suspense>
            {mayRefund ? <Disputes bookingId={id} reference={reference} /> : null}
            <BookingSeries bookingId={id} reference={reference} mayRefund={mayRefund} />
            <BookingCrew bookingId={id} />
            <BookingDoorLog bookingId={id} />
          </Suspense>
        )}
        onClose={() => setSearch(rest, { replace: true })}
      />
    </Suspense>
  );
}
