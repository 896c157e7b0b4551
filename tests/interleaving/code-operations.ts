import { expect } from 'vitest';
import { firstSettings } from '#rules/business/first-settings.ts';
import { ensureCode } from '#server/operations/access/issue-first-code.ts';
import { renewCode } from '#server/operations/access/renew-code.ts';
import { makeStaffCode, revokeStaffCode } from '#server/operations/access/staff-codes.ts';
import { cancelForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import { moveBooking } from '#server/operations/bookings/move.ts';
import { joinCrew } from '#server/operations/crew/guests.ts';
import { inviteCrew, revokeCrew } from '#server/operations/crew/links.ts';
import { ProviderError } from '#server/providers/call.ts';
import { HOUR, MINUTE, STUDIO } from '#tests/operations/booking-system.ts';
import { context, held, type Operation, paid, staffCancellation } from './begin.ts';
import { EVENING, hours, MONDAY } from './world.ts';

const NO_ANSWER = new ProviderError('igloohome', 'no_response', { retryable: true, ambiguous: true });

/** Operations that ask the lock for a code, or to remove one. */
export const OF_CODES: readonly Operation[] = [
  {
    name: 'the lock issues the first code',
    takesHours: false,
    async begin(world) {
      const subject = await paid(world);
      // Another customer is paying for the hour before.
      await held(world, EVENING - HOUR);
      world.system.state.now = EVENING - 30 * MINUTE;
      return { subject, run: () => ensureCode(world.system.services, subject.id) };
    },
  },
  {
    name: 'the lock issues the code of a booking that was moved while the lock did not answer',
    takesHours: false,
    async begin(world) {
      const subject = await paid(world);
      const { services, state } = world.system;
      state.now = EVENING - 30 * MINUTE;
      state.lockFails = NO_ANSWER;
      await ensureCode(services, subject.id);
      await moveBooking(context(world), {
        bookingId: subject.id,
        studioId: STUDIO,
        ...hours(EVENING + HOUR),
        waive: true,
        money: 'held',
        actor: world.staff,
      });
      state.lockFails = null;
      state.now = EVENING + 30 * MINUTE;
      return { subject, run: () => ensureCode(services, subject.id) };
    },
  },
  {
    name: 'the lock issues a new code',
    takesHours: false,
    async begin(world) {
      const subject = await paid(world);
      world.system.state.now = EVENING - 10 * MINUTE;
      await ensureCode(world.system.services, subject.id);
      world.system.state.now += 5 * MINUTE;
      return { subject, run: () => renewCode(world.system.services, subject.id, subject.person) };
    },
  },
  {
    name: 'the job removes the code of a cancelled booking',
    takesHours: false,
    byJobs: true,
    async begin(world) {
      const subject = await paid(world);
      world.system.state.now = EVENING - 30 * MINUTE;
      await ensureCode(world.system.services, subject.id);
      await cancelForStaff(context(world), staffCancellation(world, subject));
      return { subject, run: () => world.system.jobs.drain() };
    },
  },
  {
    name: 'the lock issues the code of a guest',
    takesHours: false,
    byJobs: true,
    async begin(world) {
      const subject = await paid(world);
      const { services } = world.system;
      const invited = await inviteCrew(services, { bookingId: subject.id, userId: subject.person, requestId: null });
      const token = invited.url.replace('https://studio.example/crew#', '');
      world.system.state.now = EVENING - 30 * MINUTE;
      await joinCrew(services, { token, name: 'Sam', termsVersion: firstSettings.termsVersion });
      const guest = { inviteId: invited.inviteId, userId: subject.person };
      return {
        subject,
        run: () => world.system.jobs.drain(),
        more: { 'the guest is taken back': (db) => revokeCrew({ ...services, db }, guest) },
      };
    },
  },
  {
    name: 'staff make a code',
    takesHours: false,
    async begin(world) {
      const subject = await paid(world);
      const { services } = world.system;
      const startTime = new Date(MONDAY);
      const request = {
        studioId: STUDIO,
        startTime,
        endTime: new Date(MONDAY + HOUR),
        name: 'Cleaner',
        requestId: 'one',
      };
      return {
        subject,
        run: () => makeStaffCode(services, request, world.staff),
        more: {
          'the same request comes again': (db) => makeStaffCode({ ...services, db }, request, world.staff),
          async 'the same request comes again for other hours'(db) {
            const other = { ...request, endTime: new Date(MONDAY + 2 * HOUR) };
            // If the other hours were requested first, the request would simply make a code for them.
            if ((await db.queryRow('select from private.staff_code where made_by = $1::uuid', [world.staff])) === null)
              return;
            await expect(makeStaffCode({ ...services, db }, other, world.staff)).rejects.toMatchObject({
              code: 'already_done',
            });
          },
        },
      };
    },
  },
  {
    name: 'staff revoke a code',
    takesHours: false,
    byJobs: true,
    async begin(world) {
      const subject = await paid(world);
      const { services, jobs } = world.system;
      const startTime = new Date(MONDAY);
      const request = {
        studioId: STUDIO,
        startTime,
        endTime: new Date(MONDAY + HOUR),
        name: 'Cleaner',
        requestId: 'one',
      };
      const { codeId } = await makeStaffCode(services, request, world.staff);
      const run = async () => {
        await revokeStaffCode(services, codeId, world.staff);
        await jobs.drain();
      };
      return {
        subject,
        run,
        more: { 'another one revokes it': (db) => revokeStaffCode({ ...services, db }, codeId, world.staff) },
      };
    },
  },
];
