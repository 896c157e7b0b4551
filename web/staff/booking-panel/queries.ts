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
  /** The previous hours, for each move. */
  moves: z.array(z.object({ studioName: z.string(), startTime: instant, endTime: instant, at: instant })),
  noShow: z.object({ at: instant, by: z.string().nullable() }).nullable().default(null),
  staffNotes: z
    .array(z.object({ id: z.string(), note: z.string(), by: z.string().nullable(), at: instant }))
    .default([]),
  /** Whether staff made the booking with a payment link and the customer has not paid yet. */
  openLink: z.boolean().default(false),
  /**
   * The unpaid bookings of its series, including itself, and their cost. They are released or paid together. Null if the booking is paid,
   * over, or not part of a series.
   */
  heldTogether: z.object({ bookings: z.number(), cents: z.number() }).nullable().default(null),
  /** New hours that are held until the difference is paid; null if there are none. */
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
      /** Why the mail cannot be sent again; null if it can. */
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

/** All details of a booking. Only owners receive `history`. */
export type BookingDetails = z.infer<typeof detailsSchema>;

/** Reads the booking with this reference; null if it does not exist. */
export async function readBooking(reference: string): Promise<BookingDetails | null> {
  const { data, error } = await rest.rpc('booking_details', { reference });
  if (error) throw error;
  return detailsSchema.nullable().parse(data);
}

export type Refund = 'full' | 'none' | number;

/** An action that staff can undo within some seconds. */
export type Undo = NonNullable<CallAnswer<'staff-cancel-booking'>['undo']>;

/** Cancels a booking. `byHand`: staff pay the money back themselves. */
export function cancelBooking(
  bookingId: string,
  refund: Refund,
  reason: string,
): Promise<CallAnswer<'staff-cancel-booking'>> {
  return callFunction('staff-cancel-booking', { bookingId, refund, reason, undoable: true });
}

/** Undoes a cancellation or a move. Throws if its mails or refunds have already been sent. */
export function undoAction(undoId: string): Promise<CallAnswer<'staff-undo'>> {
  return callFunction('staff-undo', { undoId });
}

/** Refunds part of a booking's payment. Idempotent for the same `requestId`. */
export function refundBooking(refund: {
  bookingId: string;
  cents: number;
  reason: string;
  requestId: string;
}): Promise<CallAnswer<'staff-refund'>> {
  return callFunction('staff-refund', refund);
}

/** Confirms a booking with a payment link whose customer has paid in another way. */
export function markPaid(bookingId: string): Promise<CallAnswer<'staff-mark-paid'>> {
  return callFunction('staff-mark-paid', { bookingId });
}

export type Move = {
  readonly studioId: string;
  readonly startTime: string;
  readonly endTime: string;
  /** Whether more expensive hours cost no more than was paid. Otherwise they are held until the difference is paid by link. */
  readonly waive: boolean;
};

type MoveAnswer = CallAnswer<'staff-move-booking'>;
type Quoted = Extract<MoveAnswer, { readonly needsMoney: boolean }>;
type Cost = Pick<MoveAnswer, 'differenceCents' | 'refundCents'>;

/** The cost of a move, as the contract of the call describes it. */
export type MoveQuote = Cost & Partial<Quoted>;

/** Reads the cost of a move without making it. */
export function quoteMove(bookingId: string, move: Move): Promise<MoveQuote> {
  return callFunction('staff-move-booking', { bookingId, ...move, preview: true });
}

/**
 * Moves a booking to other hours. If they cost less, the difference is refunded. `waitsUntil`: the booking only moves if the difference is
 * paid at `url` by then.
 */
export function moveBooking(bookingId: string, move: Move): Promise<Cost & Partial<Exclude<MoveAnswer, Quoted>>> {
  return callFunction('staff-move-booking', { bookingId, ...move, undoable: true });
}

export type MailKind = 'booking-confirmed' | 'access-code';

/** Sends a mail of a booking again. Throws if the booking has been cancelled or has ended in the meantime. */
export async function sendMailAgain(booking: string, mail: MailKind): Promise<void> {
  const { data, error } = await rest.rpc('send_mail_again', { booking, mail });
  if (error) throw error;
  if (data !== true) throw new Error('This booking has been cancelled or has ended.');
}

/** Sends an earlier mail again with current content. Idempotent for the same `requestId`. Throws `AppError` if the mail would no longer be true. */
export function resendMail(mail: { bookingId: string; mailId: string; requestId: string }): Promise<unknown> {
  return callFunction('staff-send-mail', mail);
}

/** Reads the documents of a booking as one file. Throws `AppError`. */
export function readDocuments(bookingId: string): Promise<CallAnswer<'staff-booking-document'>> {
  return callFunction('staff-booking-document', { bookingId, format: 'pdf' });
}

/** Mails the documents of a booking to its customer. Idempotent for the same `requestId`. Throws `AppError`. */
export function mailDocuments(mail: { bookingId: string; requestId: string }): Promise<unknown> {
  return callFunction('staff-mail-document', mail);
}

export type NewBooking = {
  readonly studioId: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly customerEmail: string;
  readonly customerName: string;
  /** '' if there is none. */
  readonly customerPhone: string;
  /** The price of each booking, below the list price; null for the list price. */
  readonly priceCents: number | null;
  readonly payment: 'link' | 'free' | 'elsewhere';
  readonly notes: string;
  /** The Sydney dates of a weekly series, first date first; undefined for a single booking. */
  readonly series?: { dates: string[] };
  /** Must be the same when a call is repeated because its answer was lost. */
  readonly requestId: string;
};

/** Makes a booking or a series. Returns the first booking. */
export function createBooking(booking: NewBooking): Promise<CallAnswer<'staff-create-booking'>> {
  return callFunction('staff-create-booking', booking);
}

/** Adds a note that only staff can read. Idempotent for the same `id`. */
export async function addNote(id: string, booking: string, note: string): Promise<void> {
  const { data, error } = await rest.rpc('add_booking_note', { note_id: id, booking, note });
  if (error) throw error;
  if (data !== true) throw new Error('This booking no longer exists.');
}

/** Records that the customer did not come, or undoes that. */
export async function markNoShow(booking: string, missed: boolean): Promise<void> {
  const { data, error } = await rest.rpc('mark_no_show', { booking, missed });
  if (error) throw error;
  if (data !== true) throw new Error('This booking has been cancelled or has not started.');
}

/** The access code of a booking. `pin` is null until `releaseAt` and until the lock has answered. */
const pinSchema = z.object({
  pin: z.string().nullable(),
  held: z.boolean(),
  releaseAt: instant,
  worksFrom: instant,
  worksUntil: instant,
  codesLeft: z.number(),
});
export type Pin = z.infer<typeof pinSchema>;

/** Shows the access code (`GET`) or makes a new one (`POST`). The audit log records both. Throws `AppError`. */
export async function readPin(bookingId: string, method: 'GET' | 'POST'): Promise<Pin> {
  const client = await fetchClient();
  const { data, error } = await client.functions.invoke<unknown>(`regenerate-pin?booking_id=${bookingId}`, { method });
  if (error === null) return pinSchema.parse(data);
  const body: unknown = error.context instanceof Response ? await error.context.json().catch(() => null) : null;
  const words = z.object({ error: z.string(), code: z.string() }).safeParse(body);
  throw new AppError(words.data?.code ?? 'offline', words.data?.error ?? OFFLINE, 0);
}
