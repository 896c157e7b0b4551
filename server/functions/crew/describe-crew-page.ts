import type { CrewPageAnswer } from '#contracts/crew/crew-page-answer.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { type CrewPage, readGuestAccess } from '#server/operations/crew/guests.ts';
import { describeInstants } from '../describe-access.ts';

/** Builds the answer to a guest, without the ids of the booking and the guest. Throws `Refusal` as `showAccess`. */
export async function describeCrewPage(context: AccessContext, page: CrewPage): Promise<CrewPageAnswer> {
  const { memberId: _member, bookingId: _booking, studioName, startTime, endTime, ...others } = page;
  const access = page.state === 'joined' ? await readGuestAccess(context, page) : null;
  return {
    ...others,
    booking: { studioName, startTime, endTime },
    access: access && { ...access, ...describeInstants(access) },
  };
}
