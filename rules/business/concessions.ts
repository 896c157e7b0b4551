/**
 * Money that the business would have or keep if staff did not decide otherwise, in cents. `refund`: `termsCents` is what the cancellation terms of
 * the booking give back for it now. `waiver`: dearer hours that are not charged. `price`: a new booking for less than the price list asks.
 * `free` and `elsewhere`: a new booking that is not paid here.
 */
export type Concession =
  | { readonly kind: 'refund'; readonly cents: number; readonly termsCents: number }
  | { readonly kind: 'waiver'; readonly cents: number }
  | { readonly kind: 'price'; readonly cents: number }
  | { readonly kind: 'free' }
  | { readonly kind: 'elsewhere' };

/**
 * Whether staff need the permission `money` for a concession, and not only `bookings`. A refund of exactly what the terms give is none: a higher one
 * gives money away, and a lower one keeps money that belongs to the customer.
 */
export function needsMoneyPermission(concession: Concession): boolean {
  switch (concession.kind) {
    case 'refund':
      return concession.cents !== concession.termsCents;
    case 'waiver':
    case 'price':
      return concession.cents > 0;
    case 'free':
    case 'elsewhere':
      return true;
  }
}
