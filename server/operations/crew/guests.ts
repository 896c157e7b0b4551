import { openDigits } from '../access/codes.ts';
import { hasGuestCodes, newestGuestCode } from '../access/guest-codes.ts';
import { furtherCodes } from '../access/limits.ts';
import { type BookingAccess, showAccess } from '../access/show-access.ts';
import { Refusal } from '../core/refusal.ts';
import { isHeldForUndo } from '../core/undo-hold.ts';
import { hashToken } from './links.ts';
import type { Services } from '../core/services.ts';

/** What a guest's link shows. Times are ISO strings. */
export type CrewPage = {
  readonly memberId: string;
  readonly bookingId: string;
  readonly state: 'invited' | 'joined';
  readonly name: string | null;
  /** The first name of the host; may be empty. */
  readonly host: string;
  readonly studioName: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly arrivalNotes: string;
  /** The current version of the terms. */
  readonly termsVersion: string;
};
type StoredPage = CrewPage & { readonly link: string };

/** A guest's access: the guest's own code, or the code of the booking (`own`: false). */
export type GuestAccess = Omit<BookingAccess, 'booking' | 'pinId'> & { readonly own: boolean };

/**
 * Reads the page of a link. Throws `Refusal`: 'not_found' if the link is invalid or was replaced, 'invitation_ended' if the host has
 * withdrawn it, the booking is cancelled, or the session ended more than half an hour ago.
 */
export async function readCrewPage({ db, clock }: Services, token: string): Promise<CrewPage> {
  const row = await db.queryRow<{ page: StoredPage | null }>('select private.crew_page($1, $2::timestamptz) as page', [
    hashToken(token),
    clock(),
  ]);
  if (!row?.page) throw ended('not_found');
  const { link, ...page } = row.page;
  if (link !== 'open') throw ended(link);
  return page;
}

/** Reads the page of a guest who has joined. Throws `Refusal` as `readCrewPage`, or 'terms_required' if the guest has not joined yet. */
export async function requireJoined(services: Services, token: string): Promise<CrewPage> {
  const page = await readCrewPage(services, token);
  if (page.state !== 'joined') throw new Refusal('terms_required', 'Please accept the terms first.');
  return page;
}

/** Joins a crew: the guest gives a first name and accepts the terms. Idempotent. Throws `Refusal` as `readCrewPage`, or 'terms_required'. */
export async function joinCrew(
  services: Services,
  { token, name, termsVersion }: { token: string; name: string; termsVersion: string },
): Promise<CrewPage> {
  const row = await services.db.queryRow<{ outcome: string }>(
    'select private.join_crew($1, $2, $3, $4::timestamptz) as outcome',
    [hashToken(token), name, termsVersion, services.clock()],
  );
  if (row?.outcome === 'terms')
    throw new Refusal('terms_required', 'The terms have changed. Please read and accept the new ones.');
  if (row?.outcome !== 'joined') throw ended(row?.outcome);
  return readCrewPage(services, token);
}

/** Reads the access of a guest who has joined. If the guest is shown the shared code of the booking, this is recorded. */
export async function readGuestAccess(services: Services, page: CrewPage): Promise<GuestAccess> {
  const { db, clock } = services;
  const { booking: _booking, pinId: _pinId, ...access } = await showAccess(services, page.bookingId);
  const { held, releaseAt, worksFrom, worksUntil } = access;
  const [now, own] = [clock(), hasGuestCodes(services)];
  if (!own) {
    if (access.pin !== null)
      await db.query(
        'update private.crew_member set saw_shared_at = $2::timestamptz where id = $1::uuid and saw_shared_at is null',
        [page.memberId, now],
      );
    return { ...access, own, nextCodeAt: null, codesLeft: 0 };
  }
  const { code, count } = await newestGuestCode(db, page.memberId);
  const shown =
    !held &&
    code?.status === 'issued' &&
    now >= releaseAt &&
    now.getTime() < Date.parse(page.endTime) &&
    !(await isHeldForUndo(db, page.bookingId, now));
  return {
    ...access,
    ...furtherCodes(services, { count, newest: code }),
    own,
    pin: shown ? openDigits(services, code) : null,
    worksFrom: shown ? code.startsAt : worksFrom,
    worksUntil: shown ? code.endsAt : worksUntil,
    openedAt: code?.usedAt ?? null,
  };
}

function ended(outcome: string | undefined): Refusal {
  switch (outcome) {
    case 'revoked':
      return new Refusal('invitation_ended', 'This invitation was taken back.');
    case 'cancelled':
      return new Refusal('invitation_ended', 'This session was cancelled.');
    case 'ended':
      return new Refusal('invitation_ended', 'This session is over.');
    default:
      return new Refusal('not_found', 'This link isn’t valid. Ask the person who sent it for a new one.');
  }
}
