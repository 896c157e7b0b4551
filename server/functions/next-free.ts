import { formatMoney } from '#rules/money.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readNextFree } from '#server/operations/prices/next-free.ts';
import type { ServerFunction } from './function.ts';
import { json } from './responses.ts';

/**
 * Says which room can be booked first within a day: `{room: {name, from, price, query} | null}`: from when in Sydney, '9 pm' (null: now), the price of the hour, '$69', and the query
 * of the booking page that chooses it. In words, for the first page, which loads neither the client nor the rules of hours.
 */
export function nextFree(context: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'everyone',
    limit: { name: 'next-free', max: 60, seconds: 60 },
    async handle() {
      const found = await readNextFree(context.booking);
      return json({
        room: found && {
          name: found.name,
          from: found.start && formatStudioTime(found.start),
          price: formatMoney(found.cents),
          query: found.query,
        },
      });
    },
  };
}
