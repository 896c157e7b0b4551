import { type JobDefinition, jobKinds, workersFor } from '../core/jobs.ts';
import type { JobKinds } from '#server/queue/jobs.ts';
import {
  sendCancellationJob,
  sendConfirmationJob,
  sendMoveJob,
  sendPaymentFailedJob,
  sendPaymentProcessingJob,
  sendPaymentReturnedJob,
  sendRefundJob,
} from '../mails/booking-mails.ts';
import { sendPaymentLinkJob } from '../mails/send-payment-link.ts';
import { sendLinkExpiredJob, sendLinkExpiredToStaffJob } from '../mails/expired-links.ts';
import { sendDocumentsJob } from '../mails/document-mails.ts';
import { sendReminderJob, sendTextReminderJob } from '../mails/reminders.ts';
import { sendAccessCodeJob, sendCodeHeldJob, sendCodeHeldToStaffJob } from '../mails/send-access-code.ts';
import { sendWaitlistMailJob } from '../mails/waitlist-mail.ts';
import { sendIdDecisionJob, sendReviewWaitingJob } from '../mails/identity-mails.ts';
import { sendIdMissingJob, sendIdNeededJob, sendIdWithdrawnJob } from '../mails/missing-id-mails.ts';
import { sendIncidentAnswerJob, sendThanksJob } from '../mails/after-session.ts';
import { sendDoorHelpJob } from '../mails/door-help-mail.ts';
import { sendSecondFactorDueJob, sendStaffInvitationJob } from '../mails/staff-mails.ts';
import { sendCustomerMessageJob } from '../mails/send-customer-message.ts';
import { sendCampaignMailJob, sendCampaignTestJob } from '../mails/send-campaign-mail.ts';
import { sendJobAlertJob } from './job-alerts.ts';
import { requestFirstCodeJob } from '../access/issue-first-code.ts';
import { REMOVAL_JOBS } from '../access/removal-jobs.ts';
import { requestGuestCodeJob } from '../crew/guest-codes.ts';
import { endSecretJob } from '../staff/end-secret.ts';
import { switchLightsJob } from '../power/follow-sessions.ts';
import { renewApplePassJob, renewGooglePassJob } from '../wallet/renew-passes.ts';
import { makePartialRefundJob, refundPaymentJob } from '../payments/refund.ts';
import { forgetCustomerJob } from '../customers/provider-customer.ts';
import { checkLedgerJob } from '../reconciliation/compare-ledger.ts';
import { deletePhotoJob } from '../identity/delete-photo.ts';
import type { Services } from '../core/services.ts';

/** All kinds of jobs of the business. */
export const ALL_JOBS: readonly JobDefinition[] = [
  sendConfirmationJob,
  sendCancellationJob,
  sendPaymentLinkJob,
  sendMoveJob,
  sendLinkExpiredJob,
  sendLinkExpiredToStaffJob,
  sendRefundJob,
  sendDocumentsJob,
  sendPaymentReturnedJob,
  sendPaymentProcessingJob,
  sendPaymentFailedJob,
  sendReminderJob,
  sendTextReminderJob,
  sendAccessCodeJob,
  sendCodeHeldJob,
  sendCodeHeldToStaffJob,
  sendWaitlistMailJob,
  sendIdDecisionJob,
  sendIdWithdrawnJob,
  sendIdNeededJob,
  sendThanksJob,
  sendIncidentAnswerJob,
  sendDoorHelpJob,
  sendIdMissingJob,
  sendReviewWaitingJob,
  sendStaffInvitationJob,
  sendSecondFactorDueJob,
  sendCustomerMessageJob,
  sendCampaignMailJob,
  sendCampaignTestJob,
  sendJobAlertJob,
  requestFirstCodeJob,
  requestGuestCodeJob,
  ...REMOVAL_JOBS,
  endSecretJob,
  switchLightsJob,
  renewApplePassJob,
  renewGooglePassJob,
  refundPaymentJob,
  makePartialRefundJob,
  forgetCustomerJob,
  checkLedgerJob,
  deletePhotoJob,
];

/** Returns all kinds of jobs of the business with their handlers. */
export const ownJobKinds = (services: Services): JobKinds => jobKinds(ALL_JOBS, services, workersFor(services.wallets));
