import { z } from 'zod';
import { linkExpiredMail } from '#server/mails/booking.ts';
import { linkExpiredStaffMail, moveEndedMail } from '#server/mails/move.ts';
import type { Database } from '#server/db/database.ts';
import { type BookingFacts, readBooking } from '../core/booking-rows.ts';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import { forMail, toHours, sendBookingMail, withSeries } from './booking-mail.ts';
import type { Services } from '../core/services.ts';

/** Mails the customer that the link sent by staff was not paid in time. Sends nothing if the hold ended for another reason. */
async function sendLinkExpired(services: Services, job: Job): Promise<JobOutcome> {
  await sendBookingMail(services, job, async (booking, facts) => {
    if (!(await isUnpaid(services.db, facts))) return null;
    return facts.movesBooking === null
      ? linkExpiredMail(await withSeries(services, booking, facts), `${services.siteUrl}/booking`)
      : moveEndedMail(booking, toHours(facts), 'expired');
  });
  return 'done';
}

/**
 * Mails a member of staff that a link was not paid in time. Sends nothing if the hold ended for another reason, or the account is no longer
 * staff.
 */
async function sendLinkExpiredToStaff(services: Services, job: Job<{ staffId: string }>): Promise<JobOutcome> {
  const { db, mail, siteUrl, business } = services;
  const staff = await db.queryRow<{ email: string }>(
    `select u.email from auth.users u where u.id = $1::uuid and u.deleted_at is null
       and exists (select from public.staff_permissions p where p.user_id = u.id and p.permission in ('bookings', 'owner'))`,
    [job.payload.staffId],
  );
  const facts = await readBooking(db, job.subjectId);
  const booking = facts?.movesBooking ? await readBooking(db, facts.movesBooking) : facts;
  if (staff === null || !facts || !booking || !(await isUnpaid(db, facts))) return 'done';
  const moves = facts.movesBooking === null ? null : toHours(facts);
  const single = forMail(booking, null, business());
  const shown = moves === null ? await withSeries(services, single, facts) : single;
  const message = linkExpiredStaffMail(shown, {
    moves,
    cents: moves === null ? shown.totalCents : facts.finalCostCents,
    panel: `${siteUrl}/admin?booking=${booking.reference}`,
  });
  await mail.send({ to: staff.email, ...message, key: `job-${job.id}` });
  return 'done';
}

/**
 * Returns whether a hold ended only because it was not paid: staff have not cancelled it, and for new hours the booking has neither moved
 * nor been cancelled in the meantime. `id` is that of the first booking for a series.
 */
async function isUnpaid(db: Database, { id, cancelReason }: BookingFacts): Promise<boolean> {
  const row = await db.queryRow(
    `select from private.booking b left join private.booking o on o.id = b.moves_booking
     where b.id = $1::uuid and not exists (
       select from private.cancellation c join private.booking x on x.id = c.booking_id where coalesce(x.order_id, x.id) = coalesce(b.order_id, b.id))
       and (o.id is null or o.status = 'confirmed' and o.moves + 1 = b.move_number
         and not exists (select from private.booking x where x.moves_booking = o.id and x.status = 'pending'))`,
    [id],
  );
  return cancelReason === 'hold_expired' && row !== null;
}

export const sendLinkExpiredJob = defineJob({
  kind: 'mail.link-expired',
  title: 'Expired payment link email',
  worker: 'mail',
  handle: (services, job) => sendLinkExpired(services, job),
});

export const sendLinkExpiredToStaffJob = defineJob({
  kind: 'mail.link-expired-staff',
  title: 'Expired payment link email to staff',
  worker: 'mail',
  payload: z.object({ staffId: z.uuid() }),
  handle: (services, job) => sendLinkExpiredToStaff(services, job),
});
