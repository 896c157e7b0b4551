import type { AccessContext } from '../access/context.ts';
import { endSecret } from '../staff/end-secret.ts';
import { requestFirstCode } from '../access/issue-first-code.ts';
import { revokeCodes } from '../access/revoke-codes.ts';
import { removeStaffCode } from '../access/staff-codes.ts';
import { type JobHandler, type JobKind, jobKinds, workersFor } from '../core/jobs.ts';
import type { JobKinds } from '#server/queue/jobs.ts';
import { removeGuestCode, requestGuestCode } from '../crew/guest-codes.ts';
import type { IdentityContext } from '../identity/context.ts';
import { deletePhoto } from '../identity/delete-photo.ts';
import { sendIncidentAnswer, sendThanks } from '../mails/after-session.ts';
import {
  sendCancellation,
  sendConfirmation,
  sendMove,
  sendPaymentFailed,
  sendPaymentProcessing,
  sendPaymentReturned,
  sendRefund,
} from '../mails/booking-mails.ts';
import { forgetCustomer } from '../customers/provider-customer.ts';
import { sendDocuments } from '../mails/document-mails.ts';
import { sendDoorHelp } from '../mails/door-help-mail.ts';
import { sendLinkExpired, sendLinkExpiredToStaff } from '../mails/expired-links.ts';
import { sendIdDecision, sendReviewWaiting } from '../mails/identity-mails.ts';
import { sendIdMissing, sendIdNeeded, sendIdWithdrawn } from '../mails/missing-id-mails.ts';
import { type ReminderContext, sendReminder, sendTextReminder } from '../mails/reminders.ts';
import { sendAccessCode, sendCodeHeld, sendCodeHeldToStaff } from '../mails/send-access-code.ts';
import { sendCampaignMail, sendCampaignTest } from '../mails/send-campaign-mail.ts';
import { sendCustomerMessage } from '../mails/send-customer-message.ts';
import { sendPaymentLink } from '../mails/send-payment-link.ts';
import { sendSecondFactorDue, sendStaffInvitation } from '../mails/staff-mails.ts';
import { sendWaitlistMail } from '../mails/waitlist-mail.ts';
import type { WalletContext } from '../exports/pass-rows.ts';
import { renewApplePass, renewGooglePass } from '../exports/renew-passes.ts';
import type { PaymentContext } from '../payments/context.ts';
import type { SessionContext } from '../payments/open-session.ts';
import { makePartialRefund, refundPayment } from '../payments/refund.ts';
import { checkLedger } from '../reconciliation/compare-ledger.ts';
import { type LightsContext, switchLights } from '../power/follow-sessions.ts';
import { type JobAlerts, sendJobAlert } from './job-alerts.ts';

type Contexts = {
  mails: ReminderContext;
  alerts: JobAlerts;
  access: AccessContext;
  payment: PaymentContext & SessionContext;
  identity: IdentityContext;
  lights: LightsContext;
  passes: WalletContext;
};

/** Returns the kinds of jobs of the business, each with its handler. */
export function ownJobKinds(contexts: Contexts): JobKinds {
  return jobKinds(handlers(contexts), workersFor(contexts.passes.wallets));
}

function handlers(contexts: Contexts): Readonly<Record<JobKind, JobHandler>> {
  const { mails, alerts, access, payment, identity, lights, passes } = contexts;
  return {
    'mail.booking-confirmed': (job) => sendConfirmation(mails, job),
    'mail.booking-cancelled': (job) => sendCancellation(mails, job),
    'mail.payment-link': (job) => sendPaymentLink(mails, payment, job),
    'mail.booking-moved': (job) => sendMove(mails, job),
    'mail.link-expired': (job) => sendLinkExpired(mails, job),
    'mail.link-expired-staff': (job) => sendLinkExpiredToStaff(mails, job),
    'mail.refund': (job) => sendRefund(mails, job),
    'mail.document': (job) => sendDocuments(mails, job),
    'mail.payment-returned': (job) => sendPaymentReturned(mails, job),
    'mail.payment-processing': (job) => sendPaymentProcessing(mails, job),
    'mail.payment-failed': (job) => sendPaymentFailed(mails, job),
    'mail.reminder': (job) => sendReminder(mails, job),
    'text.reminder': (job) => sendTextReminder(mails, job),
    'mail.access-code': (job) => sendAccessCode(mails, job),
    'mail.code-held': (job) => sendCodeHeld(mails, job),
    'mail.code-held-staff': (job) => sendCodeHeldToStaff(mails, job),
    'mail.waitlist': (job) => sendWaitlistMail(mails, job),
    'mail.id-decision': (job) => sendIdDecision(mails, job),
    'mail.id-withdrawn': (job) => sendIdWithdrawn(mails, job),
    'mail.id-needed': (job) => sendIdNeeded(mails, job),
    'mail.thanks': (job) => sendThanks(mails, job),
    'mail.incident-answer': (job) => sendIncidentAnswer(mails, job),
    'mail.door-help': (job) => sendDoorHelp(mails, job),
    'mail.id-missing': (job) => sendIdMissing(mails, job),
    'mail.review-waiting': (job) => sendReviewWaiting(mails, job),
    'mail.staff-invitation': (job) => sendStaffInvitation(mails, job),
    'mail.second-factor': (job) => sendSecondFactorDue(mails, job),
    'mail.customer': (job) => sendCustomerMessage(mails, job),
    'mail.campaign': (job) => sendCampaignMail(mails, job),
    'mail.campaign-test': (job) => sendCampaignTest(mails, job),
    'mail.job-alert': (job) => sendJobAlert(alerts, job),
    'access.request': (job) => requestFirstCode(access, job),
    'access.revoke': (job) => revokeCodes(access, job),
    'access.request-crew': (job) => requestGuestCode(access, job),
    'access.revoke-crew': (job) => removeGuestCode(access, job),
    'access.revoke-staff': (job) => removeStaffCode(access, job),
    'access.end-secret': (job) => endSecret(access, job),
    'power.follow': (job) => switchLights(lights, job),
    'pass.apple': (job) => renewApplePass(passes, job),
    'pass.google': (job) => renewGooglePass(passes, job),
    'payment.refund': (job) => refundPayment(payment, job.subjectId),
    'payment.partial-refund': (job) => makePartialRefund(payment, job.subjectId),
    'payment.forget-customer': (job) => forgetCustomer(payment, job),
    'payment.compare-ledger': (job) => checkLedger(payment, job),
    'image.delete': (job) => deletePhoto(identity, job),
  };
}
