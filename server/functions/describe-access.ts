import type { BookingAccess } from '#server/operations/access/show-access.ts';

type Instants = Pick<BookingAccess, 'releaseAt' | 'worksFrom' | 'worksUntil' | 'openedAt' | 'nextCodeAt'>;
type InstantTexts = { readonly [Key in keyof Instants]: null extends Instants[Key] ? string | null : string };

/** Converts the instants of an access code to ISO strings. */
export const describeInstants = (access: Instants): InstantTexts => ({
  releaseAt: access.releaseAt.toISOString(),
  worksFrom: access.worksFrom.toISOString(),
  worksUntil: access.worksUntil.toISOString(),
  openedAt: access.openedAt?.toISOString() ?? null,
  nextCodeAt: access.nextCodeAt?.toISOString() ?? null,
});
