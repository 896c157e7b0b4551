import ical, { ICalCalendarMethod, ICalEventStatus } from 'ical-generator';

/** The content of a studio's calendar feed. Times are ISO strings. */
export type FeedContent = {
  readonly studioName: string;
  readonly bookings: readonly (FeedSpan & {
    readonly reference: string;
    readonly firstName: string | null;
    readonly moves: number;
  })[];
  readonly closures: readonly (FeedSpan & { readonly reason: string })[];
};
type FeedSpan = { readonly id: string; readonly startTime: string; readonly endTime: string };

/** Number of seconds after which calendar programs should fetch the feed again. */
const READ_AGAIN_SECONDS = 900;

/**
 * Renders a calendar file. Times are in UTC, so that no program can misinterpret their zone. The same content always gives the same file.
 * `business`: the name of the business.
 */
export function writeFeed({ studioName, bookings, closures }: FeedContent, business: string): string {
  const file = ical({
    name: `${studioName}, ${business}`,
    prodId: { company: business, product: 'calendar', language: 'EN' },
    method: ICalCalendarMethod.PUBLISH,
    ttl: READ_AGAIN_SECONDS,
  });
  for (const { id, startTime, endTime, reference, firstName, moves } of bookings)
    file.createEvent({
      id: `${id}@bookings`,
      sequence: moves,
      status: ICalEventStatus.CONFIRMED,
      ...toTimes(startTime, endTime),
      summary: firstName ? `${firstName}, ${reference}` : reference,
    });
  for (const { id, startTime, endTime, reason } of closures)
    file.createEvent({
      id: `${id}-${Date.parse(startTime)}@closures`,
      status: ICalEventStatus.CONFIRMED,
      ...toTimes(startTime, endTime),
      summary: `Closed: ${reason}`,
    });
  return file.toString();
}

/** Uses the start time as the timestamp of an entry. With the time of rendering, the file would change on every fetch. */
const toTimes = (startTime: string, endTime: string): { stamp: Date; start: Date; end: Date } => ({
  stamp: new Date(startTime),
  start: new Date(startTime),
  end: new Date(endTime),
});
