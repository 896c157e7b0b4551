import type { Hono } from 'hono';
import { calendarFeed } from './functions/calendar/calendar-feed.ts';
import { acceptStaffInvitation } from './functions/account/accept-staff-invitation.ts';
import { bookingDocument } from './functions/bookings/booking-document.ts';
import { cancelBooking } from './functions/bookings/cancel-booking.ts';
import { checkVerificationAndCheckout } from './functions/identity/check-verification-and-checkout.ts';
import { createPayment } from './functions/bookings/create-payment.ts';
import { quoteSeries } from './functions/bookings/quote-series.ts';
import { deleteAccount } from './functions/account/delete-account.ts';
import { doorHelp } from './functions/access/door-help.ts';
import { exportMyData } from './functions/account/export-my-data.ts';
import { crewCode } from './functions/crew/crew-code.ts';
import { crewInvite } from './functions/crew/crew-invite.ts';
import { crewJoin } from './functions/crew/crew-join.ts';
import { crewPage } from './functions/crew/crew-page.ts';
import { crewRevoke } from './functions/crew/crew-revoke.ts';
import { createVerificationSession } from './functions/identity/create-verification-session.ts';
import type { ServerFunction } from './functions/function.ts';
import { createFunctionsRouter, type FunctionsRouterContext } from './functions/router.ts';
import { generateAccessCode } from './functions/access/generate-access-code.ts';
import { holdHours } from './functions/bookings/hold-hours.ts';
import { igloohomeWebhook } from './functions/webhooks/igloohome-webhook.ts';
import { manualPowerControl } from './functions/power/manual-power-control.ts';
import { nextFree } from './functions/bookings/next-free.ts';
import { processScheduledEmails } from './functions/developers/process-scheduled-emails.ts';
import { sendAccessCodeEmail, sendBookingConfirmation } from './functions/bookings/queued-mail.ts';
import { rateSession } from './functions/sessions/rate-session.ts';
import { reportProblem } from './functions/sessions/report-problem.ts';
import { regeneratePin } from './functions/access/regenerate-pin.ts';
import { extendBooking } from './functions/bookings/extend-booking.ts';
import { rescheduleBooking } from './functions/bookings/reschedule-booking.ts';
import { releaseHold } from './functions/bookings/release-hold.ts';
import { removePhone } from './functions/account/remove-phone.ts';
import { removeCard } from './functions/account/remove-card.ts';
import { savedCards } from './functions/account/saved-cards.ts';
import { staffBlockCustomer } from './functions/customers/staff-block-customer.ts';
import { staffBookingDocument } from './functions/staff-bookings/staff-booking-document.ts';
import { staffMailDocument } from './functions/staff-bookings/staff-mail-document.ts';
import { staffCalendarFeed } from './functions/calendar/staff-calendar-feed.ts';
import { staffAccessCode } from './functions/access/staff-access-code.ts';
import { staffAccessCodes } from './functions/access/staff-access-codes.ts';
import { staffRevokeCode } from './functions/access/staff-revoke-code.ts';
import { staffCancelBooking } from './functions/staff-bookings/staff-cancel-booking.ts';
import { staffClose } from './functions/closures/staff-close.ts';
import { staffCreateBooking } from './functions/staff-bookings/staff-create-booking.ts';
import { staffDecideDispute } from './functions/disputes/staff-decide-dispute.ts';
import { staffDisputeEvidence } from './functions/disputes/staff-dispute-evidence.ts';
import { staffDisputes } from './functions/disputes/staff-disputes.ts';
import { staffDoorLog } from './functions/access/staff-door-log.ts';
import { staffDoors } from './functions/access/staff-doors.ts';
import { staffOpenDoor } from './functions/access/staff-open-door.ts';
import { staffExport } from './functions/exports/staff-export.ts';
import { staffExportList } from './functions/exports/staff-export-list.ts';
import { staffAnswerIncident } from './functions/incidents/staff-answer-incident.ts';
import { staffChangeIncident } from './functions/incidents/staff-change-incident.ts';
import { staffIncidents } from './functions/incidents/staff-incidents.ts';
import { staffReportIncident } from './functions/incidents/staff-report-incident.ts';
import { staffKeepWithoutId } from './functions/customers/staff-keep-without-id.ts';
import { staffWithdrawId } from './functions/customers/staff-withdraw-id.ts';
import { staffSendCampaign } from './functions/mailing/staff-send-campaign.ts';
import { staffStopCampaign } from './functions/mailing/staff-stop-campaign.ts';
import { staffTestCampaign } from './functions/mailing/staff-test-campaign.ts';
import { staffSendMail } from './functions/mailing/staff-send-mail.ts';
import { staffWriteCustomer } from './functions/customers/staff-write-customer.ts';
import { unsubscribe } from './functions/mailing/unsubscribe.ts';
import { staffMarkPaid } from './functions/staff-bookings/staff-mark-paid.ts';
import { staffMoveBooking } from './functions/staff-bookings/staff-move-booking.ts';
import { staffIdPicture } from './functions/customers/staff-id-picture.ts';
import { staffInvite } from './functions/team/staff-invite.ts';
import { staffResendInvitation } from './functions/team/staff-resend-invitation.ts';
import { staffRevokeInvitation } from './functions/team/staff-revoke-invitation.ts';
import { staffReconcile } from './functions/exports/staff-reconcile.ts';
import { staffRefund } from './functions/staff-bookings/staff-refund.ts';
import { staffRemove } from './functions/team/staff-remove.ts';
import { staffReopen } from './functions/closures/staff-reopen.ts';
import { staffReviewId } from './functions/customers/staff-review-id.ts';
import { staffSetSecondFactor } from './functions/team/staff-set-second-factor.ts';
import { staffSetPermissions } from './functions/team/staff-set-permissions.ts';
import { staffSetPrices } from './functions/settings/staff-set-prices.ts';
import { staffLocks } from './functions/settings/staff-locks.ts';
import { staffSetRoom } from './functions/settings/staff-set-room.ts';
import { staffSetSettings } from './functions/settings/staff-set-settings.ts';
import { staffUnblockCustomer } from './functions/customers/staff-unblock-customer.ts';
import { staffUndo } from './functions/staff-bookings/staff-undo.ts';
import { sessionLights } from './functions/sessions/session-lights.ts';
import { sessionRoom } from './functions/sessions/session-room.ts';
import { stripeWebhook } from './functions/webhooks/stripe-webhook.ts';
import { testIgloohomeConfig } from './functions/developers/test-igloohome-config.ts';
import { testIgloohomeOauth } from './functions/developers/test-igloohome-oauth.ts';
import { testIgloohomePin } from './functions/developers/test-igloohome-pin.ts';
import { testSmartPlug } from './functions/power/test-smart-plug.ts';
import { joinWaitlist } from './functions/bookings/join-waitlist.ts';
import { leaveWaitlist } from './functions/bookings/leave-waitlist.ts';
import { verifyId } from './functions/identity/verify-id.ts';
import { verifyPayment } from './functions/bookings/verify-payment.ts';
import { walletFile } from './functions/wallet/wallet-file.ts';
import { walletPass } from './functions/wallet/wallet-pass.ts';
import { walletService } from './functions/wallet/wallet-service.ts';
import type { Clock, Env, ReadCaller } from './http/caller.ts';
import type { TakeLimit } from './http/limits.ts';
import type { AccessContext } from './operations/access/context.ts';
import type { AccountContext } from './operations/customers/account.ts';
import type { BookingContext } from './operations/bookings/context.ts';
import type { PaymentStatusContext } from './operations/payments/read-status.ts';
import type { IdentityContext } from './operations/identity/context.ts';
import type { EventContext } from './operations/webhooks/context.ts';
import type { Wallets } from './providers/ports.ts';
import type { LinkSigner } from './crypto/link-signer.ts';
import type { PowerContext } from './operations/power/switch-power.ts';
import type { StaffContext } from './operations/staff/require-permission.ts';

type Context = {
  readCaller: ReadCaller;
  limits: TakeLimit;
  bodies: FunctionsRouterContext['bodies'];
  clock: Clock;
  account: AccountContext;
  booking: BookingContext;
  payment: PaymentStatusContext;
  events: EventContext;
  access: AccessContext;
  identity: IdentityContext;
  staff: StaffContext;
  links: LinkSigner;
  wallets: Wallets;
  power: PowerContext;
  verifyLockWebhook: (request: Request, rawBody: string) => Promise<boolean>;
  drain: () => Promise<number>;
  /** Whether answers and refusals are compared with the contracts of their calls. */
  checked: boolean;
};

/** The functions of all contracts. */
const FUNCTIONS: readonly ((services: Context) => ServerFunction)[] = [
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

/** Composes `/functions/v1`: the functions with the services that they need. */
export function composeFunctions(context: Context): Hono<Env> {
  return createFunctionsRouter({
    readCaller: context.readCaller,
    limits: context.limits,
    staff: context.staff,
    checked: context.checked,
    bodies: context.bodies,
    services: new Map([
      [
        'wallet-service',
        walletService({ ...context, passes: { ...context.booking, links: context.links, wallets: context.wallets } }),
      ],
    ]),
    functions: FUNCTIONS.map((make) => make(context)),
  });
}
