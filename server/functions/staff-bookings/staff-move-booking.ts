import { z } from 'zod';
import { bookingIdField, instantField } from '#contracts/core/fields.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { moveBooking, quoteMove } from '#server/operations/bookings/move.ts';
import { actorOf, parse } from './requests.ts';
import { byHand, json, undoOf } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-move-booking', max: 60, seconds: 60 };
const bodySchema = z.object({
  bookingId: bookingIdField,
  studioId: bookingIdField,
  startTime: instantField,
  endTime: instantField,
  waive: z.boolean().default(false),
  preview: z.boolean().default(false),
  undoable: z.boolean().default(false),
});

/**
 * Moves a confirmed booking: `{differenceCents, refundCents, byHand?}`. What the new hours cost less is refunded. Dearer hours are held until the
 * difference is paid by a link, which is mailed: `{differenceCents, refundCents, url?, waitsUntil}`, with 202 and `pending` while the provider has
 * not answered. With `waive` nothing more is paid. `preview` only says what it would cost: `{differenceCents, refundCents, owedCents, needsMoney, byHand?,
 * linkUntil?}`. A waiver, and a refund that the terms do not give, need the permission `money` too.
 * The same call again answers the same. With `undoable` mail and refund wait some seconds where no access code is due, and the answer has
 * `undo: {id, until}` for `staff-undo`.
 */
export function staffMoveBooking({ booking, staff }: { booking: BookingContext; staff: StaffContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { preview, ...wanted } = parse(bodySchema, body);
      const move = { ...wanted, actor: actorOf(caller), money: await readMoneyRight(staff, caller) };
      if (preview) {
        const { differenceCents, refundCents, linkUntil, owedCents, needsMoney, ...quote } = await quoteMove(
          booking,
          move,
        );
        const until = linkUntil === null ? {} : { linkUntil: linkUntil.toISOString() };
        return json({ differenceCents, refundCents, owedCents, needsMoney, ...byHand(quote), ...until });
      }
      const { waiting, differenceCents, refundCents, ...moved } = await moveBooking(booking, move);
      const answer = { differenceCents, refundCents, ...byHand(moved), ...undoOf(moved) };
      if (waiting === null) return json(answer);
      const waitsUntil = waiting.until.toISOString();
      if (waiting.url === null) return json({ ...answer, waitsUntil, pending: true }, 202);
      return json({ ...answer, waitsUntil, url: waiting.url });
    },
  };
}
