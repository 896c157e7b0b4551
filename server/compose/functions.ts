import type { Hono } from 'hono';
import { calendarFeed } from '#server/functions/calendar/calendar-feed.ts';
import { acceptStaffInvitation } from '#server/functions/account/accept-staff-invitation.ts';
import { bookingDocument } from '#server/functions/bookings/booking-document.ts';
import { cancelBooking } from '#server/functions/bookings/cancel-booking.ts';
import { checkVerificationAndCheckout } from '#server/functions/identity/check-verification-and-checkout.ts';
import { createPayment } from '#server/functions/bookings/create-payment.ts';
import { quoteSeries } from '#server/functions/bookings/quote-series.ts';
import { deleteAccount } from '#server/functions/account/delete-account.ts';
import { doorHelp } from '#server/functions/access/door-help.ts';
import { exportMyData } from '#server/functions/account/export-my-data.ts';
import { crewCode } from '#server/functions/crew/crew-code.ts';
import { crewInvite } from '#server/functions/crew/crew-invite.ts';
import { crewJoin } from '#server/functions/crew/crew-join.ts';
import { crewPage } from '#server/functions/crew/crew-page.ts';
import { crewRevoke } from '#server/functions/crew/crew-revoke.ts';
import { createVerificationSession } from '#server/functions/identity/create-verification-session.ts';
import type { FunctionRequests, FunctionServices, ServerFunction } from '#server/functions/function.ts';
import { createFunctionsRouter } from '#server/functions/router.ts';
import { generateAccessCode } from '#server/functions/access/generate-access-code.ts';
import { holdHours } from '#server/functions/bookings/hold-hours.ts';
import { igloohomeWebhook } from '#server/functions/webhooks/igloohome-webhook.ts';
import { manualPowerControl } from '#server/functions/power/manual-power-control.ts';
import { nextFree } from '#server/functions/bookings/next-free.ts';
import { processScheduledEmails } from '#server/functions/developers/process-scheduled-emails.ts';
import { sendAccessCodeEmail, sendBookingConfirmation } from '#server/functions/bookings/queued-mail.ts';
import { rateSession } from '#server/functions/sessions/rate-session.ts';
import { reportProblem } from '#server/functions/sessions/report-problem.ts';
import { regeneratePin } from '#server/functions/access/regenerate-pin.ts';
import { extendBooking } from '#server/functions/bookings/extend-booking.ts';
import { rescheduleBooking } from '#server/functions/bookings/reschedule-booking.ts';
import { releaseHold } from '#server/functions/bookings/release-hold.ts';
import { removePhone } from '#server/functions/account/remove-phone.ts';
import { removeCard } from '#server/functions/account/remove-card.ts';
import { savedCards } from '#server/functions/account/saved-cards.ts';
import { staffBlockCustomer } from '#server/functions/customers/staff-block-customer.ts';
import { staffBookingDocument } from '#server/functions/staff-bookings/staff-booking-document.ts';
import { staffMailDocument } from '#server/functions/staff-bookings/staff-mail-document.ts';
import { staffCalendarFeed } from '#server/functions/calendar/staff-calendar-feed.ts';
import { staffAccessCode } from '#server/functions/access/staff-access-code.ts';
import { staffAccessCodes } from '#server/functions/access/staff-access-codes.ts';
import { staffRevokeCode } from '#server/functions/access/staff-revoke-code.ts';
import { staffCancelBooking } from '#server/functions/staff-bookings/staff-cancel-booking.ts';
import { staffClose } from '#server/functions/closures/staff-close.ts';
import { staffCreateBooking } from '#server/functions/staff-bookings/staff-create-booking.ts';
import { staffDecideDispute } from '#server/functions/disputes/staff-decide-dispute.ts';
import { staffDisputeEvidence } from '#server/functions/disputes/staff-dispute-evidence.ts';
import { staffDisputes } from '#server/functions/disputes/staff-disputes.ts';
import { staffDoorLog } from '#server/functions/access/staff-door-log.ts';
import { staffDoors } from '#server/functions/access/staff-doors.ts';
import { staffOpenDoor } from '#server/functions/access/staff-open-door.ts';
import { staffExport } from '#server/functions/exports/staff-export.ts';
import { staffExportList } from '#server/functions/exports/staff-export-list.ts';
import { staffAnswerIncident } from '#server/functions/incidents/staff-answer-incident.ts';
import { staffChangeIncident } from '#server/functions/incidents/staff-change-incident.ts';
import { staffIncidents } from '#server/functions/incidents/staff-incidents.ts';
import { staffReportIncident } from '#server/functions/incidents/staff-report-incident.ts';
import { staffKeepWithoutId } from '#server/functions/customers/staff-keep-without-id.ts';
import { staffWithdrawId } from '#server/functions/customers/staff-withdraw-id.ts';
import { staffSendCampaign } from '#server/functions/mailing/staff-send-campaign.ts';
import { staffStopCampaign } from '#server/functions/mailing/staff-stop-campaign.ts';
import { staffTestCampaign } from '#server/functions/mailing/staff-test-campaign.ts';
import { staffSendMail } from '#server/functions/mailing/staff-send-mail.ts';
import { staffWriteCustomer } from '#server/functions/customers/staff-write-customer.ts';
import { unsubscribe } from '#server/functions/mailing/unsubscribe.ts';
import { staffMarkPaid } from '#server/functions/staff-bookings/staff-mark-paid.ts';
import { staffMoveBooking } from '#server/functions/staff-bookings/staff-move-booking.ts';
import { staffIdPicture } from '#server/functions/customers/staff-id-picture.ts';
import { staffInvite } from '#server/functions/team/staff-invite.ts';
import { staffResendInvitation } from '#server/functions/team/staff-resend-invitation.ts';
import { staffRevokeInvitation } from '#server/functions/team/staff-revoke-invitation.ts';
import { staffReconcile } from '#server/functions/exports/staff-reconcile.ts';
import { staffRefund } from '#server/functions/staff-bookings/staff-refund.ts';
import { staffRemove } from '#server/functions/team/staff-remove.ts';
import { staffReopen } from '#server/functions/closures/staff-reopen.ts';
import { staffReviewId } from '#server/functions/customers/staff-review-id.ts';
import { staffSetSecondFactor } from '#server/functions/team/staff-set-second-factor.ts';
import { staffSetPermissions } from '#server/functions/team/staff-set-permissions.ts';
import { staffSetPrices } from '#server/functions/settings/staff-set-prices.ts';
import { staffLocks } from '#server/functions/settings/staff-locks.ts';
import { staffSetRoom } from '#server/functions/settings/staff-set-room.ts';
import { staffSetSettings } from '#server/functions/settings/staff-set-settings.ts';
import { staffUnblockCustomer } from '#server/functions/customers/staff-unblock-customer.ts';
import { staffUndo } from '#server/functions/staff-bookings/staff-undo.ts';
import { sessionLights } from '#server/functions/sessions/session-lights.ts';
import { sessionRoom } from '#server/functions/sessions/session-room.ts';
import { stripeWebhook } from '#server/functions/webhooks/stripe-webhook.ts';
import { testIgloohomeConfig } from '#server/functions/developers/test-igloohome-config.ts';
import { testIgloohomeOauth } from '#server/functions/developers/test-igloohome-oauth.ts';
import { testIgloohomePin } from '#server/functions/developers/test-igloohome-pin.ts';
import { testSmartPlug } from '#server/functions/power/test-smart-plug.ts';
import { joinWaitlist } from '#server/functions/bookings/join-waitlist.ts';
import { leaveWaitlist } from '#server/functions/bookings/leave-waitlist.ts';
import { verifyId } from '#server/functions/identity/verify-id.ts';
import { verifyPayment } from '#server/functions/bookings/verify-payment.ts';
import { walletFile } from '#server/functions/wallet/wallet-file.ts';
import { walletPass } from '#server/functions/wallet/wallet-pass.ts';
import { walletService } from '#server/functions/wallet/wallet-service.ts';
import type { Env } from '#server/http/caller.ts';

/** The functions of all contracts. */
const FUNCTIONS: readonly ((services: FunctionServices) => ServerFunction)[] = [
  createPayment,
  quoteSeries,
  nextFree,
  holdHours,
  releaseHold,
  verifyPayment,
  joinWaitlist,
  leaveWaitlist,
  crewInvite,
  crewRevoke,
  crewPage,
  crewJoin,
  crewCode,
  calendarFeed,
  acceptStaffInvitation,
  unsubscribe,
  cancelBooking,
  bookingDocument,
  walletPass,
  walletFile,
  rescheduleBooking,
  extendBooking,
  savedCards,
  removeCard,
  removePhone,
  deleteAccount,
  exportMyData,
  stripeWebhook,
  sendBookingConfirmation,
  sendAccessCodeEmail,
  processScheduledEmails,
  generateAccessCode,
  regeneratePin,
  verifyId,
  createVerificationSession,
  checkVerificationAndCheckout,
  doorHelp,
  reportProblem,
  rateSession,
  sessionRoom,
  sessionLights,
  manualPowerControl,
  testSmartPlug,
  testIgloohomeConfig,
  testIgloohomeOauth,
  testIgloohomePin,
  igloohomeWebhook,
  staffCreateBooking,
  staffMoveBooking,
  staffMarkPaid,
  staffCancelBooking,
  staffUndo,
  staffBookingDocument,
  staffMailDocument,
  staffRefund,
  staffReconcile,
  staffClose,
  staffReopen,
  staffCalendarFeed,
  staffInvite,
  staffResendInvitation,
  staffRevokeInvitation,
  staffRemove,
  staffSetPermissions,
  staffSetSecondFactor,
  staffSetPrices,
  staffSetRoom,
  staffLocks,
  staffSetSettings,
  staffReviewId,
  staffWithdrawId,
  staffKeepWithoutId,
  staffIdPicture,
  staffBlockCustomer,
  staffUnblockCustomer,
  staffAccessCode,
  staffAccessCodes,
  staffRevokeCode,
  staffIncidents,
  staffReportIncident,
  staffChangeIncident,
  staffAnswerIncident,
  staffDisputes,
  staffDisputeEvidence,
  staffDecideDispute,
  staffDoors,
  staffOpenDoor,
  staffDoorLog,
  staffExport,
  staffExportList,
  staffSendCampaign,
  staffTestCampaign,
  staffStopCampaign,
  staffWriteCustomer,
  staffSendMail,
];

/** Composes `/functions/v1` from all functions and the services that they need. */
export function composeFunctions(services: FunctionServices, requests: FunctionRequests): Hono<Env> {
  return createFunctionsRouter({
    ...requests,
    services,
    functions: FUNCTIONS.map((make) => make(services)),
    protocols: new Map([['wallet-service', walletService(services, requests)]]),
  });
}
