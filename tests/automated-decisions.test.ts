import { expect, test } from 'vitest';
import {
  AUTOMATED_DECISIONS,
  type AutomatedDecision,
  type AutomatedDecisionName,
} from '#rules/business/automated-decisions.ts';
import { REFUSAL_STATUS, type RefusalCode } from '#contracts/core/refusals.ts';
import type { CancelReason } from '#server/operations/core/booking-rows.ts';

/**
 * The meaning of each automatic refusal for a person. The privacy page must name every kind of automated decision that significantly
 * affects a person, so a code without an entry does not compile: name its kind in rules/business/automated-decisions.ts, or state why it
 * does not affect a person significantly.
 */
type Meaning = AutomatedDecisionName | { readonly none: string };

const FORM = { none: 'The request is incomplete; the same person can send it again.' };
const SIGN_IN = { none: 'It protects the account: its owner proves who they are and goes on.' };
const STAFF = { none: 'Only staff get it, about their own work.' };
const ROOM = { none: 'It is about the room or its hours and the same for all customers.' };
const STEP = { none: 'The person does the next step and goes on.' };

const REFUSALS: Readonly<Record<RefusalCode, Meaning>> = {
  invalid_request: FORM,
  not_signed_in: SIGN_IN,
  not_yours: { none: 'It keeps other people’s bookings and the back office closed; nothing of the person is judged.' },
  not_found: { none: 'There is no such thing, or it belongs to another person.' },
  age_required: 'age',
  id_required: 'id',
  blocked: 'block',
  terms_required: STEP,
  mail_unconfirmed: STEP,
  slot_taken: ROOM,
  slot_closed: ROOM,
  slot_free: ROOM,
  waitlist_limit: 'waitlist',
  crew_full: { none: 'The number of guests is the same for every booking.' },
  price_changed: STEP,
  coupon_invalid: 'coupons',
  coupon_exhausted: 'coupons',
  too_many_holds: 'holds',
  too_many_hours: 'holds',
  too_many_requests: 'holds',
  too_early: { none: 'Everybody can do it from the same time on.' },
  too_late: 'refunds',
  not_confirmed: STEP,
  session_ended: { none: 'The session is over for all who were in the room.' },
  lights_in_use: ROOM,
  code_not_released: { none: 'Every code is shown from the same time on.' },
  code_limit: 'codes',
  code_wait: { none: 'It lasts seconds.' },
  code_held: 'disputes',
  already_done: { none: 'What was asked for has happened.' },
  payment_processing: 'payments',
  image_refused: 'id',
  provider_unavailable: { none: 'It is an outage; the person tries again.' },
  not_configured: { none: 'The business does not offer it to anybody.' },
  last_owner: STAFF,
  days_overlap: STAFF,
  invitation_ended: { none: 'The person who invited has ended it.' },
  second_factor_required: SIGN_IN,
  current_password_required: SIGN_IN,
  current_password_invalid: SIGN_IN,
  reauthentication_needed: SIGN_IN,
  reauthentication_not_valid: SIGN_IN,
  bookings_ahead: 'deletion',
  staff_account: STAFF,
};

/** The same for bookings that end without a refusal. */
const CANCELLATIONS: Readonly<Record<CancelReason, Meaning>> = {
  hold_expired: 'holds',
  abandoned: { none: 'The customer left the pay page.' },
  customer: 'refunds',
  // The program also uses this reason, an hour before a session whose ID check was lost.
  staff: 'lostId',
  payment_failed: 'payments',
  slot_lost: 'payments',
  amount_mismatch: 'payments',
  replaced: { none: 'The customer chose other hours.' },
};

const meanings = [...Object.entries(REFUSALS), ...Object.entries(CANCELLATIONS)];
const decisions: readonly (readonly [string, AutomatedDecision])[] = Object.entries(AUTOMATED_DECISIONS);

test('each code of a refusal is a kind of decision on the privacy page, or has the reason why it affects nobody significantly', () => {
  expect(Object.keys(REFUSALS).toSorted()).toEqual(Object.keys(REFUSAL_STATUS).toSorted());
  for (const [code, meaning] of meanings)
    expect([code, typeof meaning === 'string' ? meaning in AUTOMATED_DECISIONS : meaning.none.endsWith('.')]).toEqual([
      code,
      true,
    ]);
});

test('each kind of decision on the privacy page is one that the program makes', () => {
  const decisions = new Set(meanings.flatMap(([, meaning]) => (typeof meaning === 'string' ? [meaning] : [])));
  expect(Object.keys(AUTOMATED_DECISIONS).filter((name) => !decisions.has(name as AutomatedDecisionName))).toEqual([]);
});

test('each kind of decision names what is decided, the personal information that is used, and what a person can do about it', () => {
  expect(decisions).not.toEqual([]);
  for (const [name, { title, decides, uses, review }] of decisions) {
    expect([name, title, decides, review].every((text) => text.length > 1)).toBe(true);
    expect([name, decides.endsWith('.'), review.endsWith('.'), /[.]$/.test(uses)]).toEqual([name, true, true, false]);
  }
  expect(new Set(decisions.map(([, { title }]) => title)).size).toBe(decisions.length);
});
