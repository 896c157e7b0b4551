import type { StudioDate } from '#rules/studio-time.ts';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** An entry of the calendar: a booking, an unpaid hold, or a closure. */
export type Entry = {
  readonly kind: 'booking' | 'hold' | 'closure';
  readonly id: string;
  readonly studioId: string;
  readonly start: Date;
  readonly end: Date;
  /** The customer, or the reason of a closure. */
  readonly label: string;
  /** The reference of a booking or hold; null for a closure. */
  readonly reference: string | null;
  readonly email: string | null;
  readonly isTest: boolean;
  /** For a closure: whether customers may read the reason, and for how many weeks it was made. */
  readonly isPublic: boolean;
  readonly weeks: number;
};

/** A range of days in the calendar, for one studio or for all (null). */
export type CalendarDays = { readonly first: StudioDate; readonly days: number; readonly studioId: string | null };

/** The number of rows that the server returns at once. */
export const ENTRIES_MAX = 1_000;

/** Reads the bookings, holds and closures of the days, earliest first. */
export async function readCalendar({ first, days, studioId }: CalendarDays): Promise<Entry[]> {
  const { data, error } = await rest.rpc('staff_calendar', {
    first_day: first,
    days,
    ...(studioId === null ? {} : { studio: studioId }),
  });
  if (error) throw error;
  return rowsWith(data, 'kind', 'id', 'studio_id', 'start_time', 'end_time').map((row) => ({
    kind: row.kind === 'closure' || row.kind === 'hold' ? row.kind : 'booking',
    id: row.id,
    studioId: row.studio_id,
    start: new Date(row.start_time),
    end: new Date(row.end_time),
    label: (row.kind === 'closure' ? row.reason : (row.customer_name ?? row.customer_email)) ?? 'Unknown',
    reference: row.reference,
    email: row.customer_email,
    isTest: row.is_test === true,
    isPublic: row.public === true,
    weeks: row.weeks ?? 1,
  }));
}

/** A day with the share of its hours that is free, from 0 to 1. */
export type FreeDay = { readonly day: StudioDate; readonly free: number; readonly hours: number };

/** Reads how many hours of each day are free. */
export async function readFreeDays({ first, days, studioId }: CalendarDays): Promise<FreeDay[]> {
  const { data, error } = await rest.rpc('free_hours', {
    first_day: first,
    days,
    ...(studioId === null ? {} : { studio: studioId }),
  });
  if (error) throw error;
  return rowsWith(data, 'day', 'hours', 'free').map(({ day, hours, free }) => ({ day, hours, free }));
}

/** Reads which studios have a feed for calendar programs, and since when. */
export async function readFeeds(): Promise<ReadonlyMap<string, Date>> {
  const { data, error } = await rest.rpc('calendar_feeds');
  if (error) throw error;
  return new Map(rowsWith(data, 'studio_id', 'created_at').map((row) => [row.studio_id, new Date(row.created_at)]));
}

/** Returns the address of a studio's feed. Creates the feed if it does not exist. */
export function openFeed(studioId: string): Promise<CallAnswer<'staff-calendar-feed'>> {
  return callFunction('staff-calendar-feed', { studioId, action: 'create' });
}
export function revokeFeed(studioId: string): Promise<CallAnswer<'staff-calendar-feed'>> {
  return callFunction('staff-calendar-feed', { studioId, action: 'revoke' });
}
