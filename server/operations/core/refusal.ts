/** Codes of all refusals. `functions/responses.ts` maps each to an HTTP status. */
export type RefusalCode =
  | 'invalid_request'
  | 'not_signed_in'
  | 'not_yours'
  | 'not_found'
  | 'age_required'
  | 'id_required'
  | 'blocked'
  | 'terms_required'
  | 'mail_unconfirmed'
  | 'slot_taken'
  | 'slot_closed'
  | 'slot_free'
  | 'waitlist_limit'
  | 'crew_full'
  | 'price_changed'
  | 'coupon_invalid'
  | 'coupon_exhausted'
  | 'too_many_holds'
  | 'too_many_hours'
  | 'too_many_requests'
  | 'too_late'
  | 'not_confirmed'
  | 'session_ended'
  | 'lights_in_use'
  | 'code_not_released'
  | 'code_limit'
  | 'code_wait'
  | 'code_held'
  | 'already_done'
  | 'payment_processing'
  | 'image_refused'
  | 'provider_unavailable'
  | 'not_configured'
  | 'last_owner'
  | 'days_overlap'
  | 'invitation_ended'
  | 'second_factor_required'
  | 'current_password_required'
  | 'current_password_invalid'
  | 'reauthentication_not_valid'
  | 'bookings_ahead'
  | 'staff_account';

/** An expected refusal. The message is for people; the details are sent beside it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(code: RefusalCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
