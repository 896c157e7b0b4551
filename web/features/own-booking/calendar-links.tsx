import { useMutation } from '@tanstack/react-query';
import { ARRIVE_EARLY } from '#rules/access.ts';
import { googleCalendarUrl } from '#rules/business/calendar-link.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { type BookingPage, readCalendarFile } from './queries.ts';
import { saveFile } from '#web/data/fetch-client.ts';

/** Adds the booking to the customer's calendar. */
export function CalendarLinks({
  booking,
}: {
  booking: Pick<BookingPage, 'id' | 'reference' | 'studioName' | 'startTime' | 'endTime'>;
}) {
  const business = useBusiness();
  const file = useMutation({
    mutationFn: () => readCalendarFile(booking.id),
    meta: { handled: true, invalidates: [] },
    onSuccess: (text) => saveFile(text, `${booking.reference}.ics`, 'text/calendar'),
  });
  const google = googleCalendarUrl({
    title: `${booking.studioName}, ${business.name}`,
    start: booking.startTime,
    end: booking.endTime,
    details: `Booking ${booking.reference}. ${ARRIVE_EARLY}`,
    location: business.address,
  });
  return (
    <section aria-labelledby="calendars">
      <h2 id="calendars" className="text-2xl">
        Add to your calendar
      </h2>
      <div className="mt-4 flex flex-wrap gap-3">
        <a href={google} target="_blank" rel="noreferrer" className={buttonStyle.plain}>
          Google
        </a>
        <Button tone="plain" busy={file.isPending} onClick={() => file.mutate()}>
          Apple, Outlook (.ics)
        </Button>
      </div>
      <Failure action={file} text="We couldn’t make the file. Please try again." className="mt-3 text-sm text-bad" />
    </section>
  );
}
