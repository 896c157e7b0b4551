import { createHash, randomBytes } from 'node:crypto';
import { constants as studio } from '#rules/venue.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

/** An invitation with its link. The link is not stored, so it can be shown only once. */
type CrewLink = { readonly inviteId: string; readonly url: string };

/** 256 random bits, so that a token cannot be guessed. */
const TOKEN_BYTES = 32;

/** Returns the hash that is stored for a link. A plain hash is safe because a token has too many bits to be guessed. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The token is in the fragment, which browsers send to no server, so it does not appear in logs. */
const getAddress = (siteUrl: string, token: string): string => `${siteUrl}/crew#${token}`;

const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/**
 * Invites another guest to the caller's own confirmed booking. A repeated call with the same `requestId` replaces the link of that
 * invitation. Throws `Refusal`: 'not_found', 'not_confirmed', 'session_ended', 'crew_full', 'already_done'.
 */
export async function inviteCrew(
  { db, clock, siteUrl }: Services,
  { bookingId, userId, requestId }: { bookingId: string; userId: string; requestId: string | null },
): Promise<CrewLink> {
  const token = newToken();
  const row = await db.queryRow<{ answer: { outcome: string; id?: string } }>(
    'select private.invite_crew($1::uuid, $2::uuid, $3, $4, $5::int, $6::int, $7::timestamptz) as answer',
    [bookingId, userId, hashToken(token), requestId, studio.maxCrew, studio.maxCrewInvitations, clock()],
  );
  const { outcome, id } = row?.answer ?? {};
  if (outcome !== 'invited' || id === undefined) throw toRefusal(outcome);
  return { inviteId: id, url: getAddress(siteUrl, token) };
}

/** Gives one of the caller's invitations a new link; the previous link stops working. Throws `Refusal` as `inviteCrew`. */
export async function renewCrewLink(
  { db, clock, siteUrl }: Services,
  { inviteId, userId }: { inviteId: string; userId: string },
): Promise<CrewLink> {
  const token = newToken();
  const row = await db.queryRow<{ outcome: string }>(
    'select private.renew_crew_link($1::uuid, $2::uuid, $3, $4::timestamptz) as outcome',
    [inviteId, userId, hashToken(token), clock()],
  );
  if (row?.outcome !== 'invited') throw toRefusal(row?.outcome);
  return { inviteId, url: getAddress(siteUrl, token) };
}

/**
 * Withdraws one of the caller's invitations: its link stops working, and the guest's own code is removed from the lock. `sawShared`: the
 * guest has seen digits that still open the door. Idempotent. Throws `Refusal('not_found')`.
 */
export async function revokeCrew(
  { db, clock }: Services,
  { inviteId, userId }: { inviteId: string; userId: string },
): Promise<{ readonly sawShared: boolean }> {
  const row = await db.queryRow<{ answer: { outcome: string; sawShared?: boolean } }>(
    'select private.revoke_crew($1::uuid, $2::uuid, $3::timestamptz) as answer',
    [inviteId, userId, clock()],
  );
  if (row?.answer.outcome !== 'revoked') throw toRefusal(row?.answer.outcome);
  return { sawShared: row.answer.sawShared === true };
}

function toRefusal(outcome: string | undefined): Refusal {
  switch (outcome) {
    case 'cancelled':
      return new Refusal('session_ended', 'This booking is cancelled.');
    case 'ended':
      return new Refusal('session_ended', 'This session is over.');
    case 'pending':
      return new Refusal('not_confirmed', 'This booking hasn’t been paid yet.');
    case 'full':
      return new Refusal('crew_full', `You can bring up to ${studio.maxCrew} people. Take one back first.`);
    case 'too_many':
      return new Refusal('crew_full', 'This booking has used up its invitations. Please contact us.');
    case 'joined':
      return new Refusal('already_done', 'Your guest has opened this invitation and joined.');
    case 'revoked':
      return new Refusal('already_done', 'You’ve taken this invitation back. Invite again for a new link.');
    case 'not_found':
      return new Refusal('not_found', 'Booking not found');
    default:
      throw new Error(`an invitation to a crew ended as ${outcome}`);
  }
}
