import { formatMoney } from '#rules/money.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { type NextFree, readNextFree } from '#server/operations/prices/next-free.ts';
import type { ServerFunction } from './function.ts';
import { json } from './responses.ts';

/**
 * Says which room can be booked first within a day: `{room: {words, query} | null}`, in a sentence and as the query of the booking page that chooses the hour. For the
 * first page, which loads neither the client nor the rules of hours.
 */
export function nextFree(context: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'everyone',
    limit: { name: 'next-free', max: 60, seconds: 60 },
    async handle() {
      const found = await readNextFree(context.booking);
      return json({ room: found && { words: describeNextFree(found), query: found.query } });
    },
  };
}

function describeNextFree({ name, start, cents }: NextFree): string {
  const when = start === null ? 'now' : `from ${formatStudioTime(start)} (Sydney time)`;
  return `${name} is free ${when}, ${formatMoney(cents)} an hour`;
}
