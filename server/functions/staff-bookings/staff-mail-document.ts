import { staffMailDocument as contract } from '#contracts/staff-bookings/staff-mail-document.ts';
import { mailDocuments } from '#server/operations/mails/document-mails.ts';
import { accepted, defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffMailDocument = defineHandler(contract, async (services, { caller, body }) => {
  await mailDocuments(services, body, getActor(caller));
  return accepted({ queued: true });
});
