import { type Alert, ALERT_KINDS } from '#rules/alerts/alerts.ts';
import { dayBounds, type StudioDate } from '#rules/studio-time.ts';
import { type CallBody, callFunction } from '#web/data/fetch-client.ts';
import { parseRow, type StaffBooking } from '#web/data/bookings/booking.ts';
import { LISTED_COLUMNS, type ListedBooking, parseListed } from '#web/data/bookings/listed-bookings.ts';
import { getNames, readCrew } from '#web/data/bookings/crew.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

export type StudioName = { readonly id: string; readonly name: string };

export type DayBooking = Pick<
  StaffBooking,
  | 'id'
  | 'reference'
  | 'studioId'
  | 'studioName'
  | 'startTime'
  | 'endTime'
  | 'status'
  | 'isTest'
  | 'customer'
  | 'crew'
  | 'code'
>;
/** Returns the name that staff see for the customer of a booking. */
export const nameCustomer = ({ customer: { name, email } }: DayBooking): string => name ?? email ?? 'Unknown';
export type DayClosure = {
  readonly id: string;
  readonly studioId: string;
  readonly start: Date;
  readonly end: Date;
  readonly reason: string;
};
export type Day = { readonly bookings: readonly DayBooking[]; readonly closures: readonly DayClosure[] };

/** Reads the bookings and closures of a day in Sydney, earliest first. */
export async function readDay(day: StudioDate): Promise<Day> {
  const { start, end } = dayBounds(day);
  const [bookings, closures] = await Promise.all([
    rest.rpc('bookings_of_day', { day }),
    rest
      .from('closed_hours')
      .select('closure_id,studio_id,start_time,end_time,reason')
      .lt('start_time', end.toISOString())
      .gt('end_time', start.toISOString())
      .order('start_time'),
  ]);
  if (bookings.error) throw bookings.error;
  if (closures.error) throw closures.error;
  const crew = await readCrew(rowsWith(bookings.data, 'id').map(({ id }) => id));
  return {
    bookings: rowsWith(bookings.data, 'id', 'reference', 'studio_id', 'studio_name', 'start_time', 'end_time', 'status')
      .map(parseRow)
      .map((row) => ({
        ...row,
        isTest: row.isTest === true,
        customer: { name: row.customerName, email: row.customerEmail, phone: row.phone },
        crew: getNames(crew.filter(({ bookingId }) => bookingId === row.id)),
        code: {
          due: row.codeDueAt,
          requested: row.codeRequestedAt,
          accepted: row.codeAcceptedAt,
          mailed: row.codeMailedAt,
          seen: row.codeSeenAt,
          used: row.codeUsedAt,
        },
      })),
    closures: rowsWith(closures.data, 'closure_id', 'studio_id', 'start_time', 'end_time').map((row) => ({
      id: row.closure_id,
      studioId: row.studio_id,
      start: new Date(row.start_time),
      end: new Date(row.end_time),
      reason: row.reason ?? '',
    })),
  };
}

const toInstant = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** The highest number of alerts that are read. */
export const ALERTS_SHOWN = 100;

/** Reads the alerts that the caller has permission to see, oldest first. */
export async function readAlerts(): Promise<Alert[]> {
  const { data, error } = await rest.rpc('staff_alerts', { at: new Date().toISOString(), most: ALERTS_SHOWN });
  if (error) throw error;
  return rowsWith(data, 'kind', 'since').flatMap((row) => {
    const kind = ALERT_KINDS.find((kind) => kind === row.kind);
    if (kind === undefined) return [];
    const { booking_id: id, reference, studio_name: studioName, start_time: start } = row;
    return {
      kind,
      since: new Date(row.since),
      due: toInstant(row.due),
      job: row.job_id === null ? null : { id: row.job_id, kind: row.job_kind ?? '', tries: row.tries ?? 0 },
      problem: row.problem,
      booking:
        id === null || reference === null || studioName === null || start === null
          ? null
          : { id, reference, studioName, start: new Date(start) },
      studioId: null,
      studioName,
      customer: row.customer_name,
    };
  });
}

/** Runs a job now. Throws if the job has finished in the meantime. */
export async function retryJob(job: string): Promise<void> {
  const { data, error } = await rest.rpc('retry_job', { job });
  if (error) throw error;
  if (data !== true) throw new Error(ALREADY_DONE);
}

/** Closes a job with a reason. Throws if the job has finished or was closed in the meantime. */
export async function closeJob(job: string, reason: string): Promise<void> {
  const { data, error } = await rest.rpc('close_job', { job, reason });
  if (error) throw error;
  if (data !== true) throw new Error(ALREADY_DONE);
}

/** Lets a session take place although its customer no longer has a verified ID. */
export function keepWithoutId(bookingId: string, reason: string): Promise<unknown> {
  return callFunction('staff-keep-without-id', { bookingId, reason });
}

/** Lets a session of a blocked customer take place. Throws if the booking is cancelled or the block has ended. */
export async function keepBlockedBooking(booking: string): Promise<void> {
  const { data, error } = await rest.rpc('keep_blocked_booking', { booking });
  if (error) throw error;
  if (data !== true) throw new Error('The booking has been cancelled, or its customer is no longer blocked.');
}

export type DisputeDecision = CallBody<'staff-decide-dispute'>['decision'];

/** Decides about a disputed booking whose code is on hold. */
export function decideDispute(
  bookingId: string,
  request: { readonly decision: DisputeDecision; readonly reason: string },
): Promise<unknown> {
  return callFunction('staff-decide-dispute', { bookingId, ...request });
}

const ALREADY_DONE = 'This has already been done.';

export type UpcomingBooking = ListedBooking & Pick<StaffBooking, 'userId' | 'customer' | 'isTest'>;
export type Booker = {
  readonly full_name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
};

/** The highest number of bookings that are read. */
export const BOOKINGS_SHOWN = 100;

/** Reads the bookings that have not ended, earliest first. `customer`: the details entered with the booking. */
export async function readUpcomingBookings(): Promise<UpcomingBooking[]> {
  const { data, error } = await rest
    .rpc('upcoming_bookings', { ends_after: new Date().toISOString(), most: BOOKINGS_SHOWN })
    .select(`${LISTED_COLUMNS},user_id,notes,contact_phone,guest_name,guest_email`);
  if (error) throw error;
  return parseListed(data).map((row) => ({
    ...row,
    customer: { name: row.guestName, email: row.guestEmail, phone: row.contactPhone },
    isTest: row.notes === 'test',
  }));
}

/** Reads the contact details of customers, by user id. */
export async function readBookers(ids: readonly string[]): Promise<ReadonlyMap<string, Booker>> {
  if (ids.length === 0) return new Map();
  const { data, error } = await rest
    .from('customer_contacts')
    .select('user_id,full_name,email,phone')
    .in('user_id', [...ids]);
  if (error) throw error;
  return new Map(rowsWith(data, 'user_id').map((row) => [row.user_id, row] as const));
}
