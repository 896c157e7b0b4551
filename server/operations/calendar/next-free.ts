import { nextFree } from '#rules/finding/any-room.ts';
import { bookingQuery } from '#rules/finding/booking-link.ts';
import type { Rates } from '#rules/pricing.ts';
import { addDays, slotStart, studioDate } from '#rules/studio-time.ts';
import { readBookingRules } from '../settings/booking-rules.ts';
import type { Services } from '../core/services.ts';

/** A room that can be booked from a given hour, with the price of that hour in cents. */
export type NextFree = {
  readonly name: string;
  /** When the hour begins; null if it has already begun. */
  readonly start: Date | null;
  readonly cents: number;
  /** The query string with which the booking page selects the hour. */
  readonly query: string;
};

type Room = {
  readonly id: string;
  readonly name: string;
  readonly rates: Rates;
  readonly busy: readonly { readonly start: string; readonly end: string }[];
};

/** How far ahead to search: one day, which has 25 hours when the clocks go back. */
const AHEAD_HOURS = 25;

/** Finds the room that becomes available first within a day; null if there is none. */
export async function readNextFree({ db, clock }: Services): Promise<NextFree | null> {
  const now = clock();
  const until = new Date(now.getTime() + AHEAD_HOURS * 3_600_000);
  const today = studioDate(now);
  const { rows } = await db.query<Room>(
    `with span as (select tstzrange($1::timestamptz - interval '1 hour', $2::timestamptz, '[)') as during)
     select s.id, s.name, private.rates_json(s.id, $3::date, $4::date) as rates, coalesce((
       select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('start', pg_catalog.lower(x.during * span.during), 'end', pg_catalog.upper(x.during * span.during)))
       from (
         select b.during from private.booking b
         where b.studio_id = s.id and b.status in ('pending', 'confirmed') and b.during && span.during
         union all
         select c.during from private.closed_span c where c.studio_id = s.id and c.during && span.during) x), '[]') as busy
     from public.studios s, span where s.active order by s.sort_order, s.name, s.id`,
    [now, until, today, addDays(today, 2)],
  );
  const rooms = rows.map(({ id, rates, busy }) => ({
    studioId: id,
    rates,
    busy: busy.map(({ start, end }) => ({ start: new Date(start), end: new Date(end) })),
  }));
  const { horizonDays } = await readBookingRules(db);
  const found = nextFree(rooms, now, horizonDays);
  const room = rows.find(({ id }) => id === found?.studioId);
  const start = found && slotStart(found.slot.date, found.slot.hour);
  if (!found || !room || !start) return null;
  const query = bookingQuery({ studioId: room.id, slots: [found.slot] });
  return { name: room.name, start: start <= now ? null : start, cents: found.cents, query };
}
