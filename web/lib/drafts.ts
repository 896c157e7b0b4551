import type { Slot } from '#rules/slots.ts';

/** A booking that this tab stores while the customer signs in, verifies their ID or pays. */
export type BookingDraft = {
  readonly studio_id: string;
  readonly studio_name: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly total_hours: number;
  readonly base_cost: number;
  readonly discount_amount: number;
  readonly final_cost: number;
  /** Coupon code included in `final_cost`. */
  readonly coupon_code?: string;
  readonly slots: readonly { hour: number; label: string; date: string; price: number }[];
  /** All dates of a weekly series, first date first. `final_cost` and the other fields of the draft belong to the first date. */
  readonly series?: readonly DraftDate[];
};
/** The hours of a series on one date. `total`: in dollars, as shown. */
export type DraftDate = {
  readonly date: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly total: number;
};
export type PendingSelection = {
  readonly studioId: string;
  readonly slots: readonly Slot[];
  /** Whether Book Now was pressed. It then continues automatically after the sign-in. */
  readonly bookNow?: boolean;
};

/** A hosted identity check: its id and page. `openedAt`: when the customer was sent there, in milliseconds. */
export type Verification = { readonly id: string; readonly url: string; readonly openedAt?: number };

const KEYS = {
  draft: 'checkoutBookingData',
  selection: 'pendingBookingSelections',
  choice: 'bookingChoice',
  verification: 'verificationSession',
  removedAt: 'bookingRemovedAt',
  coupon: 'bookingCoupon',
  paid: 'announcedPayment',
} as const;

function read<T>(key: string, fits: (value: unknown) => value is T): T | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return fits(value) ? value : null;
  } catch {
    sessionStorage.removeItem(key); // Another program wrote it, or it was truncated.
    return null;
  }
}
const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object';
const isSlot = (value: unknown): value is Slot =>
  isObject(value) && typeof value['date'] === 'string' && typeof value['hour'] === 'number';
const isDraftDate = (value: unknown): value is DraftDate =>
  isObject(value) && typeof value['date'] === 'string' && typeof value['total'] === 'number';
const isSelection = (value: unknown): value is PendingSelection =>
  isObject(value) &&
  typeof value['studioId'] === 'string' &&
  Array.isArray(value['slots']) &&
  value['slots'].every(isSlot);
export const isDraft = (value: unknown): value is BookingDraft =>
  isObject(value) &&
  typeof value['studio_id'] === 'string' &&
  typeof value['start_time'] === 'string' &&
  typeof value['end_time'] === 'string' &&
  Array.isArray(value['slots']) &&
  value['slots'].every(isSlot) &&
  (value['series'] === undefined || (Array.isArray(value['series']) && value['series'].every(isDraftDate)));
const isText = (value: unknown): value is string => typeof value === 'string';

function save(key: string, value: unknown): void {
  sessionStorage.setItem(key, JSON.stringify(value));
}

export const drafts = {
  booking: () => read(KEYS.draft, isDraft),
  saveBooking: (draft: BookingDraft) => save(KEYS.draft, draft),
  selection: () => read(KEYS.selection, isSelection),
  /** Whether the selection from before signing in was unreadable. Such a selection is removed. */
  dropUnreadableSelection: (): boolean => {
    if (sessionStorage.getItem(KEYS.selection) === null || read(KEYS.selection, isSelection) !== null) return false;
    sessionStorage.removeItem(KEYS.selection);
    return true;
  },
  saveSelection: (selection: PendingSelection) => save(KEYS.selection, selection),
  /** Current selection of the booking page, restored after a reload. */
  choice: () => read(KEYS.choice, isSelection),
  saveChoice: (choice: PendingSelection) => save(KEYS.choice, choice),
  removeSelection: () => sessionStorage.removeItem(KEYS.selection),
  verification: () =>
    read(
      KEYS.verification,
      (value): value is Verification => isObject(value) && isText(value['id']) && isText(value['url']),
    ),
  removeVerification: () => sessionStorage.removeItem(KEYS.verification),
  saveVerification: (session: Verification) => save(KEYS.verification, session),
  /** Navigation state for the checkout: the booking and when it was chosen. */
  toState: (booking: BookingDraft) => ({ booking, chosenAt: Date.now() }),
  /** Reads the booking from navigation state. Null if there is none, or if it has been booked or removed since. */
  fromState: (state: unknown): BookingDraft | null => {
    if (!isObject(state) || !isDraft(state['booking']) || typeof state['chosenAt'] !== 'number') return null;
    const removedAt = read(KEYS.removedAt, (value): value is number => typeof value === 'number');
    return removedAt !== null && state['chosenAt'] < removedAt ? null : state['booking'];
  },
  removeAll: () => {
    Object.values(KEYS).forEach((key) => sessionStorage.removeItem(key));
    localStorage.removeItem(LAST);
    removeTyped('');
  },
  removeBooking: () => {
    [KEYS.draft, KEYS.selection, KEYS.verification].forEach((key) => sessionStorage.removeItem(key));
    save(KEYS.removedAt, Date.now());
    removeTyped('checkout');
  },
  /** Whether a user has signed in on this device before. Survives a sign-out. */
  knowsAccount: (): boolean => localStorage.getItem(SIGNED_IN) !== null,
  rememberAccount: () => localStorage.setItem(SIGNED_IN, 'yes'),
  /** The hours of the last Book Now on this device; null if there are none. */
  lastBooked: (): PendingSelection | null => {
    try {
      const value: unknown = JSON.parse(localStorage.getItem(LAST) ?? 'null');
      return isSelection(value) ? value : null;
    } catch {
      return null;
    }
  },
  saveLastBooked: (selection: PendingSelection) => localStorage.setItem(LAST, JSON.stringify(selection)),
  /** Whether this payment has not been announced in this tab yet. Marks it as announced. */
  announcePayment(sessionId: string): boolean {
    if (read(KEYS.paid, isText) === sessionId) return false;
    save(KEYS.paid, sessionId);
    return true;
  },
  /** The coupon code in use. Survives a change of hours and Back from the pay page. */
  couponCode: () => read(KEYS.coupon, isText),
  saveCouponCode: (code: string | null) =>
    code === null ? sessionStorage.removeItem(KEYS.coupon) : save(KEYS.coupon, code),
};

/** Keys of what this device remembers beyond the tab. */
const LAST = 'lastBookedHours';
const SIGNED_IN = 'signedInBefore';

const TYPED = 'typed:';

/** Removes what was typed into forms whose name starts with `name`; '' matches all forms. */
export function removeTyped(name: string): void {
  const keys = Array.from({ length: sessionStorage.length }, (_, index) => sessionStorage.key(index) ?? '');
  for (const key of keys) if (key.startsWith(`${TYPED}${name}`)) sessionStorage.removeItem(key);
}

/** Whether a stored value has the same keys as `sample`, with values of the same types. Lists may differ in length. */
export function hasShape<T>(value: unknown, sample: T): value is T {
  if (Array.isArray(sample))
    return Array.isArray(value) && (sample.length === 0 || value.every((part) => hasShape<unknown>(part, sample[0])));
  if (!isObject(sample)) return typeof value === typeof sample;
  return isObject(value) && Object.entries(sample).every(([key, part]) => hasShape(value[key], part));
}

/** Stores what is typed into a form, for this tab. Never pass passwords or codes, because the values are kept in the browser's storage. */
export function saveTyped(name: string, values: object): void {
  try {
    save(`${TYPED}${name}`, values);
  } catch {
    // The browser's storage is full or unavailable. The form still works, but a reload loses what was typed.
  }
}

/** Reads what was typed into a form before a reload; null if nothing was. `sample` has the form's shape. */
export function readTyped<T extends object>(name: string, sample: T): T | null {
  return read(`${TYPED}${name}`, (value): value is T => hasShape(value, sample));
}
