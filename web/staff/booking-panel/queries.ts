import { z } from 'zod';
import { bookingFields, instant, maybeInstant } from '#web/data/bookings/booking-fields.ts';
import { type CallAnswer, callFunction, fetchClient } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { AppError, OFFLINE } from '#web/lib/errors.ts';

const detailsSchema = z.object({
  ...bookingFields,
  notes: z.string().nullable(),
  customer: z.object({
    hasAccount: z.boolean(),
    name: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    blocked: z.boolean(),
  }),
  /** Whether the account may see the result of the ID check. */
  mayReadId: z.boolean(),
  verification: z.object({ status: z.string(), until: maybeInstant }).nullable(),
  payments: z.array(
    z.object({
      kind: z.string(),
      state: z.string(),
      cents: z.number(),
      refundedCents: z.number(),
      leftCents: z.number(),
      at: instant,
    }),
  ),
  refunds: z.array(z.object({ cents: z.number(), state: z.string(), reason: z.string(), at: instant })),
  cancellation: z.object({ refund: z.string(), cents: z.number(), reason: z.string() }).nullable(),
  code: z.object({
    due: maybeInstant,
    requested: maybeInstant,
    accepted: maybeInstant,
    mailed: maybeInstant,
    seen: maybeInstant,
    used: maybeInstant,
  }),
  /** The hours before each move. */
  moves: z.array(z.object({ studioName: z.string(), startTime: instant, endTime: instant, at: instant })),
  noShow: z.object({ at: instant, by: z.string().nullable() }).nullable().default(null),
  staffNotes: z
    .array(z.object({ id: z.string(), note: z.string(), by: z.string().nullable(), at: instant }))
    .default([]),
  /** Whether staff made it with a link that its customer has not paid. */
  openLink: z.boolean().default(false),
  /** The unpaid bookings of its series, with itself, and what they cost: they are released or paid together. null: it is paid, over or alone. */
  heldTogether: z.object({ bookings: z.number(), cents: z.number() }).nullable().default(null),
  /** New hours that are held until the difference is paid. */
  waiting: z
    .object({
      holdId: z.string(),
      studioName: z.string(),
      startTime: instant,
      endTime: instant,
      cents: z.number(),
      until: instant,
      url: z.string().nullable(),
    })
    .nullable()
    .default(null),
  /** Tax invoices and adjustment notes. `void`: the refund of the note did not arrive. */
  documents: z
    .array(
      z.object({
        number: z.number(),
        kind: z.enum(['invoice', 'adjustment']),
        cents: z.number(),
        at: instant,
        void: z.boolean(),
      }),
    )
    .default([]),
  mails: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      dueAt: instant,
      sentAt: maybeInstant,
      problem: z.string().nullable(),
      /** Why it cannot be sent again; null when it can. */
      refusal: z.string().nullable(),
    }),
  ),
  history: z
    .array(
      z.object({
        at: instant,
        actor: z.string().nullable(),
        action: z.string(),
        resource: z.string(),
        details: z.record(z.string(), z.unknown()),
      }),
    )
    .nullable(),
});

/** All about one booking. `history` is for owners. */
export type BookingDetails = z.infer<typeof detailsSchema>;

/** Reads the booking with this reference; null when there is none. */
export async function readBooking(reference: string): Promise<BookingDetails | null> {
  const { data, error } = await rest.rpc('booking_details', { reference });
  if (error) throw error;
  return detailsSchema.nullable().parse(data);
}

export type Refund = 'full' | 'none' | number;

/** What staff can undo for some seconds. */
export type Undo = NonNullable<CallAnswer<'staff-cancel-booking'>['undo']>;

/** Cancels a booking. `byHand`: staff give the money back themselves. */
export function cancelBooking(
  bookingId: string,
  refund: Refund,
  reason: string,
): Promise<CallAnswer<'staff-cancel-booking'>> {
  return callFunction('staff-cancel-booking', { bookingId, refund, reason, undoable: true });
}

/** Undoes a cancellation or a move. Throws when its mails or refunds have been sent. */
export function undoAction(undoId: string): Promise<CallAnswer<'staff-undo'>> {
  return callFunction('staff-undo', { undoId });
}

/** Refunds a part of a booking's payment. The same `requestId` refunds once. */
export function refundBooking(refund: {
  bookingId: string;
  cents: number;
  reason: string;
  requestId: string;
}): Promise<CallAnswer<'staff-refund'>> {
  return callFunction('staff-refund', refund);
}

/** Confirms a booking by a link whose customer paid in another way. */
export function markPaid(bookingId: string): Promise<CallAnswer<'staff-mark-paid'>> {
  return callFunction('staff-mark-paid', { bookingId });
}

export type Move = {
  readonly studioId: string;
  readonly startTime: string;
  readonly endTime: string;
  /** Whether dearer hours cost no more than was paid. Otherwise they are held until the difference is paid by a link. */
  readonly waive: boolean;
};

type MoveAnswer = CallAnswer<'staff-move-booking'>;
type Quoted = Extract<MoveAnswer, { readonly needsMoney: boolean }>;
type Cost = Pick<MoveAnswer, 'differenceCents' | 'refundCents'>;

/** What a move would cost, as the contract of the call describes it. */
export type MoveQuote = Cost & Partial<Quoted>;

/** Reads what a move would cost, and changes nothing. */
export function quoteMove(bookingId: string, move: Move): Promise<MoveQuote> {
  return callFunction('staff-move-booking', { bookingId, ...move, preview: true });
}

/** Moves a booking to other hours; what they cost less goes back. `waitsUntil`: it moves when the difference is paid at `url` until then. */
export function moveBooking(bookingId: string, move: Move): Promise<Cost & Partial<Exclude<MoveAnswer, Quoted>>> {
  return callFunction('staff-move-booking', { bookingId, ...move, undoable: true });
}

export type MailKind = 'booking-confirmed' | 'access-code';

/** Sends a mail of a booking again. Throws when the booking is cancelled or over meanwhile. */
export async function sendMailAgain(booking: string, mail: MailKind): Promise<void> {
  const { data, error } = await rest.rpc('send_mail_again', { booking, mail });
  if (error) throw error;
  if (data !== true) throw new Error('This booking is cancelled or over.');
}

/** Sends a mail that was sent before again, made anew. The same `requestId` sends it once. Throws `AppError` when it would be untrue now. */
export function resendMail(mail: { bookingId: string; mailId: string; requestId: string }): Promise<unknown> {
  return callFunction('staff-send-mail', mail);
}

/** Reads the documents of a booking as one file. Throws `AppError`. */
export function readDocuments(bookingId: string): Promise<CallAnswer<'staff-booking-document'>> {
  return callFunction('staff-booking-document', { bookingId, format: 'pdf' });
}

/** Mails the documents of a booking to its customer. The same `requestId` mails them once. Throws `AppError`. */
export function mailDocuments(mail: { bookingId: string; requestId: string }): Promise<unknown> {
  return callFunction('staff-mail-document', mail);
}

export type NewBooking = {
  readonly studioId: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly customerEmail: string;
  readonly customerName: string;
  /** '' for none. */
  readonly customerPhone: string;
  /** A price of each booking, below that of the list; null: the price of the list. */
  readonly priceCents: number | null;
  readonly payment: 'link' | 'free' | 'elsewhere';
  readonly notes: string;
  /** The Sydney dates of a weekly series, the first one first; undefined: one booking. */
  readonly series?: { dates: string[] };
  /** The same for a repeat of a call whose answer was lost. */
  readonly requestId: string;
};

/** Makes a booking, or those of a series. Returns the first. */
export function createBooking(booking: NewBooking): Promise<CallAnswer<'staff-create-booking'>> {
  return callFunction('staff-create-booking', booking);
}

/** Adds a note that only staff read. The same `id` adds it once. */
export async function addNote(id: string, booking: string, note: string): Promise<void> {
  const { data, error } = await rest.rpc('add_booking_note', { note_id: id, booking, note });
  if (error) throw error;
  if (data !== true) throw new Error('This booking is gone.');
}

/** Marks that the customer did not come, or takes that back. */
export async function markNoShow(booking: string, missed: boolean): Promise<void> {
  const { data, error } = await rest.rpc('mark_no_show', { booking, missed });
  if (error) throw error;
  if (data !== true) throw new Error('This booking is cancelled, or has not begun.');
}

/** The access code of a booking; `pin` is null until `releaseAt`, and until the lock has answered. */
const pinSchema = z.object({
  pin: z.string().nullable(),
  held: z.boolean(),
  releaseAt: instant,
  worksFrom: instant,
  worksUntil: instant,
  codesLeft: z.number(),
});
export type Pin = z.infer<typeof pinSchema>;

/** Shows the access code (`GET`), or makes a new one (`POST`). Both are in the audit log. Throws `AppError`. */
export async function readPin(bookingId: string, method: 'GET' | 'POST'): Promise<Pin> {
  const client = await fetchClient();
  const { data, error } = await client.functions.invoke<unknown>(`regenerate-pin?booking_id=${bookingId}`, { method });
  if (error === null) return pinSchema.parse(data);
  const body: unknown = error.context instanceof Response ? await error.context.json().catch(() => null) : null;
  const words = z.object({ error: z.string(), code: z.string() }).safeParse(body);
  throw new AppError(words.data?.code ?? 'offline', words.data?.error ?? OFFLINE, 0);
}
