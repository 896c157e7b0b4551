import type { Hono } from 'hono';
import { cancelBooking } from '#server/functions/cancel-booking.ts';
import { checkVerificationAndCheckout } from '#server/functions/check-verification-and-checkout.ts';
import { createPayment } from '#server/functions/create-payment.ts';
import { createVerificationSession } from '#server/functions/create-verification-session.ts';
import { createFunctionsRouter, type FunctionsRouterContext } from '#server/functions/router.ts';
import { generateAccessCode } from '#server/functions/generate-access-code.ts';
import { igloohomeWebhook } from '#server/functions/igloohome-webhook.ts';
import { manualPowerControl } from '#server/functions/manual-power-control.ts';
import { processScheduledEmails } from '#server/functions/process-scheduled-emails.ts';
import { queuedMail } from '#server/functions/queued-mail.ts';
import { regeneratePin } from '#server/functions/regenerate-pin.ts';
import { releaseHold } from '#server/functions/release-hold.ts';
import { stripeWebhook } from '#server/functions/stripe-webhook.ts';
import { testIgloohomeConfig, testIgloohomeOauth, testIgloohomePin } from '#server/functions/test-igloohome.ts';
import { testSmartPlug } from '#server/functions/test-smart-plug.ts';
import { verifyId } from '#server/functions/verify-id.ts';
import { verifyPayment } from '#server/functions/verify-payment.ts';
import type { Clock, Env, ReadCaller } from '#server/http/caller.ts';
import type { TakeLimit } from '#server/http/limits.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import type { PaymentStatusContext } from '#server/operations/payments/read-status.ts';
import type { IdentityContext } from '#server/operations/identity/context.ts';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { PowerContext } from '#server/operations/power/switch-power.ts';
import type { StaffContext } from '#server/operations/staff/require-staff.ts';

/** Maps each function's address to its handler. */
export function composeFunctions(context: {
  readCaller: ReadCaller;
  limits: TakeLimit;
  bodies: FunctionsRouterContext['bodies'];
  clock: Clock;
  booking: BookingContext;
  payment: PaymentStatusContext;
  access: AccessContext;
  identity: IdentityContext;
  staff: StaffContext;
  links: LinkSigner;
  power: PowerContext;
  verifyReport: (request: Request, rawBody: string) => Promise<boolean>;
  drain: () => Promise<number>;
}): Hono<Env> {
  return createFunctionsRouter({
    readCaller: context.readCaller,
    limits: context.limits,
    staff: context.staff,
    bodies: context.bodies,
    functions: new Map([
      ['create-payment', createPayment(context)],
      ['release-hold', releaseHold(context)],
      ['verify-payment', verifyPayment(context)],
      ['cancel-booking', cancelBooking(context)],
      ['stripe-webhook', stripeWebhook(context)],
      ['send-booking-confirmation', queuedMail(context)],
      ['send-access-code-email', queuedMail(context)],
      ['process-scheduled-emails', processScheduledEmails(context)],
      ['generate-access-code', generateAccessCode(context)],
      ['regenerate-pin', regeneratePin(context)],
      ['verify-id', verifyId(context)],
      ['create-verification-session', createVerificationSession(context)],
      ['check-verification-and-checkout', checkVerificationAndCheckout(context)],
      ['manual-power-control', manualPowerControl(context)],
      ['test-smart-plug', testSmartPlug(context)],
      ['test-igloohome-config', testIgloohomeConfig(context)],
      ['test-igloohome-oauth', testIgloohomeOauth(context)],
      ['test-igloohome-pin', testIgloohomePin(context)],
      ['igloohome-webhook', igloohomeWebhook(context)],
    ]),
  });
}
