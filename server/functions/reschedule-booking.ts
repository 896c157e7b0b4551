import { z } from 'zod';
import { bookingIdField, cardField, instantField } from '#contracts/core/fields.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { type Move, type Moved, moveBooking, quoteMove, readExtendingMove } from '#server/operations/bookings/move.ts';
import { parse, signedIn } from './requests.ts';
import { byHand, json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'reschedule-booking', max: 30, seconds: 60 };
/** `differenceCents`: the difference on the screen; another one is refused. `preview`: only says what it costs. `card`: the saved card that pays it at once. */
const changeFields = {
  bookingId: bookingIdField,
  differenceCents: z.int().nullable().default(null),
  preview: z.boolean().default(false),
  card: cardField.nullable().default(null),
};
const moveSchema = z.object({
  ...changeFields,
  studioId: bookingIdField,
  startTime: instantField,
  endTime: instantField,
});
const extendSchema = z.object({
  ...changeFields,
  hours: z.int().min(1).max(23),
  from: instantField.nullable().default(null),
});

/**
 * Moves the customer's own booking to other hours or another room, while its terms allow: `{differenceCents, refundCents, byHand?}`. What the new
 * hours cost less is refunded. Dearer hours are held until the difference is paid: `{differenceCents, refundCents, url?, waitsUntil}`, with 202 and
 * `pending` while the provider has not answered. A saved `card` pays the difference at once; when it does not, `cardProblem` beside the `url` says why: `declined`,
 * `needs_customer` or `gone`. `preview` only says what it would cost: `{differenceCents, refundCents, byHand?, payUntil?}`. The same
 * call again answers the same.
 */
export function rescheduleBooking({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { preview, differenceCents: shownCents, ...place } = parse(moveSchema, body);
      const move = { ...place, shownCents, waive: false, actor: userId, customer: userId };
      return preview ? quoted(booking, move) : moved(await moveBooking(booking, move));
    },
  };
}

/**
 * Lets the customer's own booking end later, also during the session: answers as `rescheduleBooking`. `from` is the end on the screen: with it the same
 * call again changes nothing more. Taken hours are refused with 409.
 */
export function extendBooking({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: { ...LIMIT, name: 'extend-booking' },
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { preview, differenceCents: shownCents, ...asked } = parse(extendSchema, body);
      const move = await readExtendingMove(booking, { ...asked, shownCents, customer: userId });
      return preview ? quoted(booking, move) : moved(await moveBooking(booking, move));
    },
  };
}

async function quoted(booking: BookingContext, move: Move): Promise<Response> {
  const { differenceCents, refundCents, linkUntil, owedCents, ...quote } = await quoteMove(booking, move);
  const until = linkUntil === null ? {} : { payUntil: linkUntil.toISOString() };
  return json({ differenceCents, refundCents, owedCents, ...byHand(quote), ...until });
}

function moved({ waiting, differenceCents, refundCents, ...rest }: Moved): Response {
  const answer = { differenceCents, refundCents, ...byHand(rest) };
  if (waiting === null) return json(answer);
  const { url, until, cardProblem } = waiting;
  const held = { ...answer, waitsUntil: until.toISOString(), ...(cardProblem && { cardProblem }) };
  return url === null ? json({ ...held, pending: true }, 202) : json({ ...held, url });
}
