/**
 * Money in cents that the business loses because of a staff decision. `refund`: `termsCents` is what the booking's cancellation terms give
 * back for it now. `waiver`: the extra price of more expensive hours is not charged. `price`: a new booking costs less than the price list
 * asks. `free` and `elsewhere`: a new booking is free or paid elsewhere.
 */
export type Concession =
  | { readonly kind: 'refund'; readonly cents: number; readonly termsCents: number }
  | { readonly kind: 'waiver'; readonly cents: number }
  | { readonly kind: 'price'; readonly cents: number }
  | { readonly kind: 'free' }
  | { readonly kind: 'elsewhere' };

/**
 * Whether staff need the permission `money` for a concession, and not only `bookings`. A refund of exactly what the terms give needs no
 * such permission. A higher refund gives money away, and a lower one keeps money that belongs to the customer.
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
