import { ageOn } from '#rules/people.ts';
import type { CouponTerms } from '#rules/coupons.ts';
import type { Rates } from '#rules/pricing.ts';
import type { Slot } from '#rules/slots.ts';
import { studioDate } from '#rules/studio-time.ts';
import { Refusal } from '../core/refusal.ts';
import type { BookingRules } from '../settings/booking-rules.ts';
import type { Services } from '../core/services.ts';

/**
 * The facts that decide about a hold: `private.checkout_json()`, whether staff have blocked the customer, the prices of the hours, and the
 * settings.
 */
export type CheckoutFacts = {
  readonly studio: { readonly id: string; readonly name: string } | null;
  readonly profile: { readonly fullName: string | null; readonly dateOfBirth: string | null } | null;
  readonly mailConfirmed: boolean | null;
  readonly termsAccepted: readonly string[] | null;
  readonly verification: { readonly id: string; readonly expiresAt: string } | null;
  readonly coupon: EnteredCoupon | null;
  readonly blocked: boolean;
  readonly rates: Rates;
  readonly rules: BookingRules;
};

/** The coupon for the entered code. `problem` is the message for the customer if it cannot be used; `problemCode` is the reason. */
export type EnteredCoupon = CouponTerms & {
  readonly id: string;
  readonly problem: string | null;
  readonly problemCode:
    | 'invalid'
    | 'expired'
    | 'sign_in'
    | 'other_customer'
    | 'not_yet'
    | 'fully_used'
    | 'used_before'
    | 'too_few_hours'
    | 'other_hours'
    | null;
};

/** Reads the facts that decide about a hold, including the problem of the coupon if it has one. */
export async function readCheckoutFacts(
  { db }: Services,
  {
    userId,
    studioId,
    startTime,
    endTime,
    slots,
    couponCode,
  }: {
    /** Null for a guest. */
    readonly userId: string | null;
    readonly studioId: string;
    readonly startTime: Date;
    readonly endTime: Date;
    readonly slots: readonly Slot[];
    readonly couponCode: string | null;
  },
  now: Date,
): Promise<CheckoutFacts> {
  const row = await db.queryRow<{
    facts: Omit<CheckoutFacts, 'rates' | 'rules'>;
    hours: Pick<EnteredCoupon, 'problem' | 'problemCode'> | null;
    rates: Rates;
    rules: BookingRules;
  }>(
    `select private.checkout_json($1::uuid, $2::uuid, $3::text, $4::numeric, $5::timestamptz)
       || jsonb_build_object('blocked', private.is_blocked($1::uuid, $5::timestamptz)) as facts,
       private.coupon_hours_problem($3::text, $8::timestamptz, $9::timestamptz) as hours,
       private.rates_json($2::uuid, $6::date, $7::date) as rates, private.booking_settings() as rules`,
    [userId, studioId, couponCode, slots.length, now, slots[0]?.date, slots.at(-1)?.date, startTime, endTime],
  );
  if (!row) throw new Error('checkout_json returned no row');
  const { coupon } = row.facts;
  return {
    ...row.facts,
    coupon: coupon && coupon.problem === null ? { ...coupon, ...row.hours } : coupon,
    rates: row.rates,
    rules: row.rules,
  };
}

/** Builds the refusal of a customer whom staff have blocked. */
export const customerBlocked = ({ email }: Pick<BookingRules, 'email'>): Refusal =>
  new Refusal('blocked', `You can’t book with this account at the moment. Please email ${email}.`);

/** Checks age, identity and terms, because the checks on the page cannot be trusted. Returns the id of the verification. Throws `Refusal`. */
export function requireEligible(
  request: { readonly endTime: Date; readonly termsAccepted: boolean; readonly termsVersion: string | null },
  facts: CheckoutFacts,
  now: Date,
): string {
  if (facts.blocked) throw customerBlocked(facts.rules);
  if (!facts.studio) throw new Refusal('invalid_request', 'Selected studio not found.');
  const verificationId = requireVerified(request, facts, now);
  requireTerms(request, facts);
  return verificationId;
}

/** Requires that the accepted version is the current one, so that a customer never agrees to a text published after the page was loaded. */
function requireTerms(
  { termsAccepted, termsVersion }: { readonly termsAccepted: boolean; readonly termsVersion: string | null },
  { termsAccepted: before, rules: { termsVersion: current } }: Pick<CheckoutFacts, 'termsAccepted' | 'rules'>,
): void {
  if (before?.includes(current)) return;
  if (termsAccepted && (termsVersion === null || termsVersion === current)) return;
  const haveChanged = termsAccepted || (before ?? []).length > 0;
  throw new Refusal(
    'terms_required',
    haveChanged
      ? 'Our terms have changed since you accepted them. Please read and accept the new ones.'
      : 'Please accept the terms and conditions.',
    { termsVersion: current },
  );
}

/** Checks address, age and identity, also when hours are added to a booking later. Returns the id of the verification. Throws `Refusal`. */
export function requireVerified(
  { endTime }: { readonly endTime: Date },
  facts: Pick<CheckoutFacts, 'mailConfirmed' | 'profile' | 'verification'>,
  now: Date,
): string {
  if (!facts.mailConfirmed) throw new Refusal('mail_unconfirmed', 'Please confirm your email address first.');
  const born = facts.profile?.dateOfBirth;
  if (!born || ageOn(born, studioDate(now)) < 18)
    throw new Refusal('age_required', 'You must be 18 years or older to book.');
  if (!facts.verification || Date.parse(facts.verification.expiresAt) < endTime.getTime())
    throw new Refusal('id_required', 'Please verify your ID before you book.');
  return facts.verification.id;
}
