import { STUDIO_A } from '#tests/support/test-server.ts';
import { type Answer, callSteadily, type CallerRequest } from '../callers/connection.ts';
import { holdRequest } from '../callers/holds.ts';

/** The number of guests with expensive reads, which delay all other callers. */
const HEAVY_GUESTS = 12;

export type Target = { readonly url: string; readonly anonKey: string; readonly token: string };

/** Returns the headers of a guest behind the proxy at this address. */
const guest = (anonKey: string, host: number): Record<string, string> => ({
  apikey: anonKey,
  'x-forwarded-for': `198.51.100.${host}`,
});
/** Reads that sort every booking. They stay within the cost bound because they show only a page. */
const EXPENSIVE = [
  '/rest/v1/bookings?select=studio_id,start_time,end_time,status&order=status,end_time.desc&limit=100',
  '/rest/v1/bookings?select=studio_id,start_time&order=end_time.desc,start_time&limit=1000',
  '/rest/v1/bookings?select=status,end_time&status=like.*nf*rm*&order=end_time&limit=500',
  '/rest/v1/studios?select=name,bookings(start_time,end_time,status)&bookings.order=end_time.desc,status&bookings.limit=1000',
] as const;
const hoursAhead = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
const AVAILABILITY = `/rest/v1/bookings?select=studio_id,start_time,end_time,status&studio_id=eq.${STUDIO_A}&status=neq.cancelled&start_time=gte.${hoursAhead(-25)}&start_time=lt.${hoursAhead(48)}&end_time=gt.${hoursAhead(0)}`;

export type LightCaller = { readonly name: string; readonly make: () => CallerRequest };

/** Returns callers whose requests cost little. */
export function lightCallers({ anonKey, token }: Target, freeFrom: number): LightCaller[] {
  let visitors = 0;
  let holds = 0;
  const customer = { apikey: anonKey, authorization: `Bearer ${token}`, 'x-forwarded-for': '198.51.100.201' };
  const read = (path: string, headers: Record<string, string>): CallerRequest => ({ method: 'GET', path, headers });
  return [
    { name: 'guest, availability', make: () => read(AVAILABILITY, guest(anonKey, 200)) },
    {
      name: 'guests who are new, availability',
      make: () =>
        read(AVAILABILITY, { apikey: anonKey, 'x-forwarded-for': `203.0.${visitors >> 8}.${visitors++ & 255}` }),
    },
    { name: 'customer, availability', make: () => read(AVAILABILITY, customer) },
    {
      name: 'customer, access code',
      make: () => read('/functions/v1/regenerate-pin?booking_id=5a000000-0000-4000-8000-00000000ffff', customer),
    },
    {
      name: 'customer, hold',
      make() {
        const hold = holdRequest(token, holds++, freeFrom);
        return { ...hold, headers: { ...customer, ...hold.headers } };
      },
    },
  ];
}

/** Makes twelve guests send one expensive read after another until `until` (by `performance.now()`). */
export function sendExpensive({ url, anonKey }: Target, until: number): Promise<Answer[][]> {
  return Promise.all(
    Array.from({ length: HEAVY_GUESTS }, (_, host) =>
      callSteadily(url, {
        until,
        pauseMs: 0,
        make: (at) => ({
          method: 'GET',
          path: EXPENSIVE[(at + host) % EXPENSIVE.length] ?? EXPENSIVE[0],
          headers: guest(anonKey, host + 1),
        }),
      }),
    ),
  );
}
