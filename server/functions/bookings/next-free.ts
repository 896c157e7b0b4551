import { nextFree as contract } from '#contracts/bookings/next-free.ts';
import { formatMoney } from '#rules/money.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import { type NextFree, readNextFree } from '#server/operations/calendar/next-free.ts';
import { defineHandler } from '../handler.ts';

export const nextFree = defineHandler(contract, async (services) => {
  const found = await readNextFree(services);
  return { room: found && { words: describeNextFree(found), query: found.query } };
});

function describeNextFree({ name, start, cents }: NextFree): string {
  const when = start === null ? 'now' : `from ${formatStudioTime(start)} (Sydney time)`;
  return `${name} is free ${when}, ${formatMoney(cents)} an hour`;
}
