import ical, { ICalCalendarMethod, ICalEventStatus } from 'ical-generator';

/** What a calendar feed shows of a studio. Times are instants as ISO texts. */
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

/** After this many seconds a calendar program should read the feed again. */
const READ_AGAIN_SECONDS = 900;

/** Writes a calendar file. Times are in UTC, so no program can read them in another zone. The same content gives the same file. `business`: its name. */
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
      ...timesOf(startTime, endTime),
      summary: firstName ? `${firstName}, ${reference}` : reference,
    });
  for (const { id, startTime, endTime, reason } of closures)
    file.createEvent({
      id: `${id}-${Date.parse(startTime)}@closures`,
      status: ICalEventStatus.CONFIRMED,
      ...timesOf(startTime, endTime),
      summary: `Closed: ${reason}`,
    });
  return file.toString();
}

/** The file would change with every reading if its entries had the time of writing. */
const timesOf = (startTime: string, endTime: string): { stamp: Date; start: Date; end: Date } => ({
  stamp: new Date(startTime),
  start: new Date(startTime),
  end: new Date(endTime),
});
