import type { Slot } from '#rules/slots.ts';

/** What the pages keep in this tab while somebody signs in, shows an ID or pays. */
export type BookingDraft = {
  readonly studio_id: string;
  readonly studio_name: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly total_hours: number;
  readonly base_cost: number;
  readonly discount_amount: number;
  readonly final_cost: number;
  /** The code that `final_cost` counts on. */
  readonly coupon_code?: string;
  readonly slots: readonly { hour: number; label: string; date: string; price: number }[];
};
export type PendingSelection = { readonly studioId: string; readonly slots: readonly Slot[] };

const KEYS = {
  draft: 'checkoutBookingData',
  selection: 'pendingBookingSelections',
  choice: 'bookingChoice',
  verification: 'verificationSession',
  hold: 'pendingHold',
  coupon: 'bookingCoupon',
} as const;

function read<T>(key: string, fits: (value: unknown) => value is T): T | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return fits(value) ? value : null;
  } catch {
    sessionStorage.removeItem(key); // not ours, or cut off
    return null;
  }
}
const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object';
const isSlot = (value: unknown): value is Slot =>
  isObject(value) && typeof value['date'] === 'string' && typeof value['hour'] === 'number';
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
  value['slots'].every(isSlot);
const isText = (value: unknown): value is string => typeof value === 'string';

function keep(key: string, value: unknown): void {
  sessionStorage.setItem(key, JSON.stringify(value));
}

export const drafts = {
  booking: () => read(KEYS.draft, isDraft),
  keepBooking: (draft: BookingDraft) => keep(KEYS.draft, draft),
  selection: () => read(KEYS.selection, isSelection),
  keepSelection: (selection: PendingSelection) => keep(KEYS.selection, selection),
  /** What is chosen on the booking page now, for when it is loaded again. */
  choice: () => read(KEYS.choice, isSelection),
  keepChoice: (choice: PendingSelection) => keep(KEYS.choice, choice),
  dropSelection: () => sessionStorage.removeItem(KEYS.selection),
  verification: () =>
    read(
      KEYS.verification,
      (value): value is { id: string; url: string } => isObject(value) && isText(value['id']) && isText(value['url']),
    ),
  dropVerification: () => sessionStorage.removeItem(KEYS.verification),
  keepVerification: (session: { id: string; url: string }) => keep(KEYS.verification, session),
  /** The coupon code in use, which outlives a change of hours and a way back from the pay page. */
  couponCode: () => read(KEYS.coupon, isText),
  keepCouponCode: (code: string | null) =>
    code === null ? sessionStorage.removeItem(KEYS.coupon) : keep(KEYS.coupon, code),
  dropAll: () => Object.values(KEYS).forEach((key) => sessionStorage.removeItem(key)),
  dropBooking: () => [KEYS.draft, KEYS.selection, KEYS.verification].forEach((key) => sessionStorage.removeItem(key)),
};
