import { staffMoveBooking as contract } from '#contracts/staff-bookings/staff-move-booking.ts';
import { moveBooking, quoteMove } from '#server/operations/bookings/move.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import { accepted, defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';
import { byHand, toUndo } from '../responses.ts';

export const staffMoveBooking = defineHandler(contract, async (services, { caller, body }) => {
  const { preview, ...request } = body;
  const move = { ...request, actor: getActor(caller), money: await readMoneyRight(services, caller) };
  if (preview) {
    const { differenceCents, refundCents, owedCents, needsMoney, linkUntil, ...quote } = await quoteMove(
      services,
      move,
    );
    const until = linkUntil === null ? {} : { linkUntil: linkUntil.toISOString() };
    return { differenceCents, refundCents, owedCents, needsMoney, ...byHand(quote), ...until };
  }
  const { waiting, differenceCents, refundCents, ...moved } = await moveBooking(services, move);
  const answer = { differenceCents, refundCents, ...byHand(moved), ...toUndo(moved) };
  if (waiting === null) return answer;
  const waitsUntil = waiting.until.toISOString();
  if (waiting.url === null) return accepted({ ...answer, waitsUntil, pending: true });
  return { ...answer, waitsUntil, url: waiting.url };
});
