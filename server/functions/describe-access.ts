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

type Instants = Pick<BookingAccess, 'releaseAt' | 'worksFrom' | 'worksUntil' | 'openedAt' | 'nextCodeAt'>;
type InstantTexts = { readonly [Key in keyof Instants]: null extends Instants[Key] ? string | null : string };

/** Returns the instants of an access code as they are sent. */
export const describeInstants = (access: Instants): InstantTexts => ({
  releaseAt: access.releaseAt.toISOString(),
  worksFrom: access.worksFrom.toISOString(),
  worksUntil: access.worksUntil.toISOString(),
  openedAt: access.openedAt?.toISOString() ?? null,
  nextCodeAt: access.nextCodeAt?.toISOString() ?? null,
});
