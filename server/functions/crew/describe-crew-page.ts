import type { CrewPageAnswer } from '#contracts/crew/crew-page-answer.ts';
import type { Services } from '#server/operations/core/services.ts';
import { type CrewPage, readGuestAccess } from '#server/operations/crew/guests.ts';
import { describeInstants } from '../describe-access.ts';

/** Builds the answer for a guest, without the ids of the booking and the guest. Throws `Refusal` as `showAccess`. */
export async function describeCrewPage(services: Services, page: CrewPage): Promise<CrewPageAnswer> {
  const { memberId: _member, bookingId: _booking, studioName, startTime, endTime, ...others } = page;
  const access = page.state === 'joined' ? await readGuestAccess(services, page) : null;
  return {
    ...others,
    booking: { studioName, startTime, endTime },
    access: access && { ...access, ...describeInstants(access) },
  };
}
