import { findRefusal, type RefusalActions } from '#web/lib/errors.ts';

/**
 * Why a payment for a booking was refused, where the page does more than show the message: the customer has to verify an ID or accept the
 * terms, the coupon was refused, the price has changed, other hours have to be chosen, or the customer holds too many unpaid bookings or
 * hours.
 */
type PaymentRefusal = 'id' | 'terms' | 'coupon' | 'price' | 'hours' | 'too many holds' | 'too many hours';

const PAYMENT_REFUSALS: RefusalActions<'create-payment', PaymentRefusal> = {
  id_required: 'id',
  terms_required: 'terms',
  coupon_invalid: 'coupon',
  coupon_exhausted: 'coupon',
  price_changed: 'price',
  slot_taken: 'hours',
  slot_closed: 'hours',
  too_many_holds: 'too many holds',
  too_many_hours: 'too many hours',
  blocked: null,
  mail_unconfirmed: null,
  age_required: null,
  already_done: null,
  payment_processing: null,
  not_found: null,
  not_signed_in: null,
  invalid_request: null,
  too_many_requests: null,
  provider_unavailable: null,
};

/** Returns the kind of a refused payment; null if the page only shows the message. */
export const findPaymentRefusal = (error: unknown): PaymentRefusal | null => findRefusal(error, PAYMENT_REFUSALS);
