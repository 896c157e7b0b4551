/** The states of the model, and the small functions with which its transitions read and change them. */

/** A row of our database: an unpaid hold of one or more hours, a claim, the hold of a waiting move, or one confirmed booking. */
export type Booking = {
  readonly customer: number;
  /** The slots that it keeps. A hold of several is an order; each slot of it becomes a booking when it is paid. */
  readonly slots: readonly number[];
  readonly confirmed: boolean;
  /** Whether the time of the hold has ended. */
  readonly due: boolean;
  /** `none`: a claim. `intent`: no session is recorded. `open`: one is recorded. `closed`: the attempt has ended without a payment. */
  readonly payment: 'none' | 'intent' | 'open' | 'closed' | 'paid';
  /** With the fault `act-on-old-read`: whether a running call has read that there is no session to pay. */
  readonly seen: boolean;
  /** For the hold of a waiting move: the booking that moves here, or `ended` if that row has ended; otherwise null. */
  readonly moves: number | 'ended' | null;
  /** Whether the booking of a waiting move has since been cancelled or moved elsewhere. */
  readonly outdated: boolean;
};

/** One unit of the money of a payment: the price of a slot, or of a move. `sent`: the provider has refunded it, and we have not recorded it. */
export type Share = {
  readonly booking: number | null;
  readonly money: 'kept' | 'due' | 'sent' | 'returned' | 'sent twice';
};

/** A payment session at the provider. Sessions that can no longer matter become `unused`, and their place is used again. */
export type Session = {
  /** `asked`: our request is on its way. */
  readonly at: 'unused' | 'asked' | 'open' | 'paid' | 'expired';
  /** The hold that it pays for; null if there is no such row any more. */
  readonly booking: number | null;
  readonly units: number;
  /** Whether it has been recorded, and its page shown to the customer. Only then can it be paid. */
  readonly shown: boolean;
  /** Whether another attempt to pay has replaced it. */
  readonly replaced: boolean;
  /** Empty until the payment is settled. */
  readonly shares: readonly Share[];
};

/** `waits`: the slot that the customer waits for. `claims`: how many claims the customer has had today. */
type Customer = { readonly waits: number | null; readonly claims: number };

export type State = {
  readonly customers: Customer[];
  readonly slots: number;
  /** The index of a booking is its id. A row that has ended is null. */
  readonly bookings: (Booking | null)[];
  readonly sessions: Session[];
};

export type Size = { readonly customers: number; readonly slots: number; readonly sessions: number };

const UNUSED: Session = { at: 'unused', booking: null, units: 0, shown: false, replaced: false, shares: [] };

export const createState = ({ customers, slots, sessions }: Size): State => ({
  customers: Array.from({ length: customers }, () => ({ waits: null, claims: 0 })),
  slots,
  bookings: [],
  sessions: Array.from({ length: sessions }, () => UNUSED),
});

/** Copies the lists of a state, so that a step can change them without changing the original state. */
export const copyState = (s: State): State => ({
  slots: s.slots,
  customers: s.customers.slice(),
  bookings: s.bookings.slice(),
  sessions: s.sessions.slice(),
});

/** Replaces an item of a list with a changed copy. */
export function change<T extends object>(list: (T | null)[], index: number, changes: Partial<T>): void {
  list[index] = { ...get(list, index), ...changes };
}

/** Returns an item that a step names. Throws if it does not exist. */
export function get<T>(list: readonly (T | null)[], index: number): T {
  const item = list[index];
  if (item === null || item === undefined) throw new Error(`there is no item ${index}`);
  return item;
}

/** A row with its id. */
export type Row = { readonly id: number; readonly b: Booking };

function findRows({ bookings }: State, isMatch: (b: Booking) => boolean): Row[] {
  const rows: Row[] = [];
  for (let id = 0; id < bookings.length; id += 1) {
    const b = bookings[id];
    if (b && isMatch(b)) rows.push({ id, b });
  }
  return rows;
}

export const getRows = (s: State): Row[] => findRows(s, () => true);
export const getHolds = (s: State): Row[] => findRows(s, ({ confirmed }) => !confirmed);
export const getConfirmed = (s: State): Row[] => findRows(s, ({ confirmed }) => confirmed);
/** Returns the rows that keep some of the slots. */
export const getTaken = (s: State, slots: readonly number[]): Row[] =>
  findRows(s, (b) => b.slots.some((slot) => slots.includes(slot)));
/** Returns the slots that a row does not keep. */
export const getOtherSlots = ({ slots }: State, b: Booking): number[] =>
  Array.from({ length: slots }, (_, slot) => slot).filter((slot) => !b.slots.includes(slot));
export const getRow = ({ bookings }: State, id: number | null): Booking | null =>
  id === null ? null : (bookings[id] ?? null);

/** Returns the first id that no row has. */
export function getFreeId({ bookings }: State): number {
  const index = bookings.findIndex((b) => b === null);
  return index === -1 ? bookings.length : index;
}

/** Returns whether a session belongs to the current attempt to pay for a hold. */
const isCurrent = (session: Session, id: number): boolean =>
  session.booking === id && !session.replaced && session.at !== 'unused' && session.shares.length === 0;
export const getCurrent = (s: State, id: number): Session[] => s.sessions.filter((session) => isCurrent(session, id));

/** Ends a row: its slots are free. Its sessions stay at the provider. */
export function endRow(s: State, id: number): void {
  s.bookings[id] = null;
  for (const [index, { booking, at }] of s.sessions.entries()) {
    if (booking !== id) continue;
    if (at === 'expired') forgetSession(s, index);
    else change(s.sessions, index, { booking: null });
  }
  for (const hold of getHolds(s)) if (hold.b.moves === id) change(s.bookings, hold.id, { moves: 'ended' });
}

/** Allows the holds of a booking's waiting moves to end, because the booking has moved or has been cancelled. */
export function endWaitingMoves(s: State, id: number): void {
  for (const hold of getHolds(s)) if (hold.b.moves === id) change(s.bookings, hold.id, { outdated: true, due: true });
}

/** Forgets a session that can no longer matter, so that its place can be used again. */
export function forgetSession(s: State, index: number): void {
  s.sessions[index] = UNUSED;
}

/** Builds an unpaid hold; a claim of the wait list if its payment is `none`. */
export const createHold = (
  customer: number,
  slots: readonly number[],
  { payment = 'intent', moves = null }: Partial<Pick<Booking, 'payment' | 'moves'>> = {},
): Booking => ({ customer, slots, confirmed: false, due: false, payment, seen: false, moves, outdated: false });

/** Builds a booking of one slot that has been paid. */
export const createConfirmed = (customer: number, slot: number): Booking => ({
  ...createHold(customer, [slot], { payment: 'paid' }),
  confirmed: true,
});

/** Marks the sessions of the current attempt to pay for a hold as replaced by the next one. */
export function replaceSessions(s: State, id: number): void {
  for (const [index, session] of s.sessions.entries())
    if (isCurrent(session, id)) change(s.sessions, index, { replaced: true });
}

export const setWaits = (s: State, customer: number, waits: number | null): void =>
  change(s.customers, customer, { waits });

/** Gives a booking other slots. */
export function moveBooking(s: State, id: number, slots: readonly number[]): void {
  change(s.bookings, id, { slots });
  endWaitingMoves(s, id);
}

/** Sends the request for a session that pays for a hold. */
export const askSession = (s: State, index: number, booking: number): void =>
  change(s.sessions, index, { at: 'asked', booking, units: get(s.bookings, booking).slots.length });

/** Builds the shares of money that goes back. */
export const createRefund = (units: number): Share[] =>
  Array.from({ length: units }, () => ({ booking: null, money: 'due' }));

/** Queues the refund of everything that was paid for a booking. */
export function queueRefund(s: State, id: number): void {
  for (const [index, { shares }] of s.sessions.entries())
    if (shares.some(({ booking }) => booking === id))
      change(s.sessions, index, {
        shares: shares.map((share) => (share.booking === id ? { booking: null, money: 'due' } : share)),
      });
}

/** Changes where one unit of money is. A session whose money has all been returned is over. */
export function setMoney(s: State, session: number, index: number, money: Share['money']): void {
  const { shares } = get(s.sessions, session);
  const changed = shares.map((share, at) => (at === index ? { ...share, money } : share));
  change(s.sessions, session, { shares: changed });
  if (changed.every((share) => share.money === 'returned')) forgetSession(s, session);
}

/** Returns the spans that can be held at once: each slot, and each pair of slots as an order. */
export function getSpans(slots: number): number[][] {
  const spans: number[][] = [];
  for (let first = 0; first < slots; first += 1) {
    spans.push([first]);
    for (let second = first + 1; second < slots; second += 1) spans.push([first, second]);
  }
  return spans;
}
