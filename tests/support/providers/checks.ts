import { ProviderError } from '#server/providers/call.ts';
import type { CardCharge, NewPaymentSession, Payments } from '#server/providers/ports.ts';

/** The checks of the payment provider in memory: what Stripe refuses, with the reason that the adapter reports (docs.stripe.com/api). */

/** The adapter's reason for a refusal that has no code. */
export const WITHOUT_CODE = 'StripeInvalidRequestError';
/** The adapter's reason if a key was first used with other parameters. */
export const OTHER_PARAMETERS = 'StripeIdempotencyError';

const SECOND = 1_000;
const KEY_MAX = 255;
const REFERENCE_MAX = 200;
const AMOUNT_MIN = 50;
const AMOUNT_MAX = 99_999_999;
const ITEMS_MAX = 100;
const [EXPIRES_MIN_S, EXPIRES_MAX_S] = [30 * 60, 24 * 3600];
/** The tolerance for a caller that counts 30 minutes from its own clock, in seconds. */
const EXPIRES_SLACK_S = 10;

/** Creates a refusal of the provider. */
export const createRefusal = (reason: string): ProviderError =>
  new ProviderError('stripe', reason, { retryable: false });

/** Throws the refusal with this reason unless `ok`. */
export function check(ok: boolean, reason: string): asserts ok {
  if (!ok) throw createRefusal(reason);
}

export function checkKey(key: string): void {
  check(key !== '' && key.length <= KEY_MAX, WITHOUT_CODE);
}

/** Checks the parameters of a new session. Returns the sum of its lines, which is its amount even if the caller expects another. */
export function checkSession(input: NewPaymentSession, now: Date): number {
  const { items, bookingId, customerEmail, customerId, successUrl, cancelUrl, expiresAt } = input;
  for (const url of [successUrl, cancelUrl]) check(/^https?:\/\//.test(url) && URL.canParse(url), 'url_invalid');
  check(bookingId !== '' && bookingId.length <= REFERENCE_MAX, 'parameter_invalid');
  check(items.length > 0, 'parameter_missing');
  check(items.length <= ITEMS_MAX, 'parameter_invalid');
  for (const { description, amountCents } of items) {
    check(description !== '', 'parameter_missing');
    check(Number.isInteger(amountCents) && amountCents >= 0, 'parameter_invalid_integer');
  }
  const amount = items.reduce((sum, { amountCents }) => sum + amountCents, 0);
  checkAmount(amount);
  const from = Math.floor(now.getTime() / SECOND);
  const at = Math.floor(expiresAt.getTime() / SECOND);
  check(at >= from + EXPIRES_MIN_S - EXPIRES_SLACK_S, 'parameter_invalid');
  check(at <= from + EXPIRES_MAX_S + EXPIRES_SLACK_S, 'parameter_invalid');
  if (customerId === null) checkEmail(customerEmail);
  checkMetadata(input.metadata);
  return amount;
}

export function checkCharge({ amountCents, description, metadata }: CardCharge): void {
  check(Number.isInteger(amountCents) && amountCents >= 1, 'parameter_invalid_integer');
  checkAmount(amountCents);
  check(description !== '', 'parameter_missing');
  checkMetadata(metadata);
}

export function checkRefund({ amountCents }: Parameters<Payments['refund']>[0]): void {
  check(amountCents === undefined || (Number.isInteger(amountCents) && amountCents >= 1), 'parameter_invalid_integer');
}

export function checkEmail(email: string): void {
  check(/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email), 'email_invalid');
}

function checkAmount(cents: number): void {
  check(cents >= AMOUNT_MIN, 'amount_too_small');
  check(cents <= AMOUNT_MAX, 'amount_too_large');
}

/** Checks that there are at most 50 keys, of at most 40 characters, with values of at most 500 characters. */
function checkMetadata(metadata: Readonly<Record<string, string>>): void {
  const entries = Object.entries(metadata);
  check(entries.length <= 50, 'parameter_invalid');
  for (const [key, value] of entries) check(key.length <= 40 && value.length <= 500, 'parameter_invalid');
}
