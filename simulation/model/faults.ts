/** Plausible faults: each switches one rule of the protocol off. Each text completes "The program …". */
export const FAULTS = {
  'expire-by-clock': 'releases a hold when its time ends, without asking the provider',
  'confirm-without-asking': 'confirms a booking when the browser returns, without asking the provider',
  'replace-before-closing': 'replaces a hold or an attempt to pay before its payment session is closed',
  'act-on-old-read': 'ends an attempt on a read of the provider that is older than its session',
  'new-key': 'repeats the request for a session with another idempotency key',
  'show-ended-hold': 'shows the pay page of a hold that has ended',
  'late-event': 'releases a hold when a late event reports the end of a replaced session',
  'take-expired-hold': 'gives away the hours of a hold that has expired and is not released yet',
  'confirm-part': 'confirms only the first booking of an order when the order is paid',
  'move-without-lock': 'moves a booking to hours that others have',
  'move-releases-first': 'frees the old hours of a move before it has the new ones',
  'move-without-looking': 'keeps the money for a waiting move whose booking can no longer move',
  'claim-beyond-limit': 'holds freed hours for a customer of the wait list beyond the limit of unpaid hours',
  'claim-again': 'holds freed hours for the same customer of the wait list twice a day',
  'cancel-without-refund': 'cancels a booking without queuing its refund in the same transaction',
  'refund-before-cancel': 'refunds a booking before the transaction that cancels it',
  'refund-twice': 'repeats a refund without its idempotency key after a lost answer',
  'release-open-only': 'releases only expired holds whose payment session is recorded',
  'prolong-hold': 'gives a hold more time when the customer tries another way to pay',
} as const;

export type Fault = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS).filter((name): name is Fault => Object.hasOwn(FAULTS, name));
