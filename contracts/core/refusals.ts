/** HTTP status of each refusal code of a function. */
export const REFUSAL_STATUS = {
  invalid_request: 400,
  not_signed_in: 401,
  not_yours: 403,
  not_found: 404,
  age_required: 403,
  id_required: 403,
  blocked: 403,
  terms_required: 403,
  mail_unconfirmed: 403,
  slot_taken: 409,
  slot_closed: 409,
  slot_free: 409,
  waitlist_limit: 409,
  crew_full: 409,
  price_changed: 409,
  coupon_invalid: 422,
  coupon_exhausted: 409,
  too_many_holds: 429,
  too_many_hours: 409,
  too_many_requests: 429,
  too_early: 425,
  too_late: 409,
  not_confirmed: 409,
  session_ended: 410,
  lights_in_use: 409,
  code_not_released: 425,
  code_limit: 429,
  code_wait: 429,
  code_held: 409,
  already_done: 409,
  payment_processing: 409,
  image_refused: 422,
  provider_unavailable: 503,
  not_configured: 409,
  last_owner: 409,
  days_overlap: 409,
  invitation_ended: 410,
  second_factor_required: 403,
  current_password_required: 403,
  current_password_invalid: 403,
  reauthentication_needed: 403,
  reauthentication_not_valid: 422,
  bookings_ahead: 409,
  staff_account: 409,
} as const;

/** The code of a refusal, for programs. */
export type RefusalCode = keyof typeof REFUSAL_STATUS;

/** Refusals that any call can give: an invalid body, an exhausted limit, a provider that does not answer. */
const ANY = ['invalid_request', 'too_many_requests', 'provider_unavailable'] as const;
const SIGNED_IN = [...ANY, 'not_signed_in'] as const;
const STAFF = [...SIGNED_IN, 'not_yours', 'second_factor_required'] as const;

/** The refusals implied by a contract's access level. Each contract lists its other refusals. */
const REFUSALS_BY_CALLERS = {
  everyone: ANY,
  link: ANY,
  provider: ANY,
  'signed-in': SIGNED_IN,
  staff: STAFF,
  developers: [...STAFF, 'not_found'],
} as const satisfies Readonly<Record<string, readonly RefusalCode[]>>;

/** The codes that `REFUSALS_BY_CALLERS` lists for each kind of callers. */
export type RefusalsByCallers = {
  readonly [Callers in keyof typeof REFUSALS_BY_CALLERS]: (typeof REFUSALS_BY_CALLERS)[Callers][number];
};

const isCode = (text: string): text is RefusalCode => text in REFUSAL_STATUS;
const CODES = Object.keys(REFUSAL_STATUS).filter(isCode);

type Refusing = {
  readonly callers: keyof typeof REFUSALS_BY_CALLERS;
  readonly refusals: { readonly [Code in RefusalCode]?: unknown };
};

/** Returns every code with which a call can be refused. */
export function listRefusals({ callers, refusals }: Refusing): RefusalCode[] {
  const byCallers: readonly RefusalCode[] = REFUSALS_BY_CALLERS[callers];
  return CODES.filter((code) => byCallers.includes(code) || code in refusals);
}
