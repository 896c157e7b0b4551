import type { BookingAccess } from '#server/operations/access/show-access.ts';

/** Builds the answer of the functions that show an access code. */
export function describeAccess(access: BookingAccess): Record<string, unknown> {
  return {
    pin: access.pin,
    pinId: access.pinId,
    held: access.held,
    booking: {
      id: access.booking.id,
      reference: access.booking.reference,
      studio_name: access.booking.studioName,
      start_time: access.booking.startTime,
      end_time: access.booking.endTime,
    },
    releaseAt: access.releaseAt,
    worksFrom: access.worksFrom,
    worksUntil: access.worksUntil,
    openedAt: access.openedAt,
    nextCodeAt: access.nextCodeAt,
    codesLeft: access.codesLeft,
    mode: access.mode,
    singleUse: access.singleUse,
  };
}
