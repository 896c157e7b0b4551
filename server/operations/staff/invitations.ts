import { randomUUID } from 'node:crypto';
import type { Permission } from '#rules/permissions.ts';
import type { Transaction } from '#server/db/database.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

export type Invitation = { readonly invitationId: string; readonly expiresAt: Date };

/** The purpose of the signed link of an invitation. */
const INVITATION_LINK = 'staff-invitation';
const VALID_DAYS = 7;
const NOT_OWNER = new Refusal('not_yours', 'Only owners can do this.', { permission: 'owner' });

/** Returns the token of an invitation's link. It follows from id and expiry, so that it need not be stored to be mailed. */
export const invitationToken = ({ links }: Services, one: Invitation): string =>
  links.sign(INVITATION_LINK, one.invitationId, one.expiresAt);

/**
 * Invites an address to become staff with exactly these permissions, and mails the link. The same invitation again, while it is open, sends no
 * second mail; another one for the address replaces it. Throws `Refusal`.
 */
export async function inviteStaff(
  services: Services,
  { email, permissions }: { readonly email: string; readonly permissions: readonly Permission[] },
  actor: string,
): Promise<Invitation> {
  const now = services.clock();
  const fresh = { invitationId: randomUUID(), expiresAt: expiryFrom(now) };
  return services.db.transaction(async (tx) => {
    const row = await tx.one<{ outcome: string; id: string; expiresAt: Date }>(
      `select outcome, id, expires_at as "expiresAt"
       from private.invite_staff($1::uuid, $2, $3::text[], $4, $5::timestamptz, $6::uuid, $7::timestamptz)`,
      [fresh.invitationId, email, permissions, invitationToken(services, fresh), fresh.expiresAt, actor, now],
    );
    if (row?.outcome === 'invited') await mailInvitation(tx, fresh, now);
    else if (row?.outcome === 'already_staff')
      throw new Refusal('already_done', 'This person is staff already. You can change their permissions.');
    else if (row?.outcome !== 'waiting') throw NOT_OWNER;
    return { invitationId: row.id, expiresAt: row.expiresAt };
  });
}

/** Mails an open invitation again, with a new link that replaces the one before. Throws `Refusal`. */
export async function renewInvitation(services: Services, invitationId: string, actor: string): Promise<Invitation> {
  const now = services.clock();
  const renewed = { invitationId, expiresAt: expiryFrom(now) };
  return services.db.transaction(async (tx) => {
    const row = await tx.one<{ outcome: string }>(
      'select private.renew_invitation($1::uuid, $2, $3::timestamptz, $4::uuid) as outcome',
      [invitationId, invitationToken(services, renewed), renewed.expiresAt, actor],
    );
    refuse(row?.outcome);
    await mailInvitation(tx, renewed, now);
    return renewed;
  });
}

/** Ends an open invitation; its link is worth nothing any more. Throws `Refusal`. */
export async function revokeInvitation({ db, clock }: Services, invitationId: string, actor: string): Promise<void> {
  const row = await db.one<{ outcome: string }>(
    'select private.revoke_invitation($1::uuid, $2::uuid, $3::timestamptz) as outcome',
    [invitationId, actor, clock()],
  );
  refuse(row?.outcome);
}

function refuse(outcome: string | undefined): void {
  if (outcome === 'not_owner') throw NOT_OWNER;
  if (outcome === 'unknown') throw new Refusal('not_found', 'We couldn’t find this invitation.');
  if (outcome === 'closed') throw new Refusal('already_done', 'This invitation was accepted or revoked.');
}

/** Makes an account staff with the permissions of the invitation whose link it opened, and returns them. Throws `Refusal`. */
export async function acceptInvitation({ db, clock }: Services, token: string, userId: string): Promise<Permission[]> {
  const row = await db.one<{ outcome: string; permissions: Permission[] | null }>(
    'select outcome, permissions from private.accept_invitation($1, $2::uuid, $3::timestamptz)',
    [token, userId, clock()],
  );
  switch (row?.outcome) {
    case 'accepted':
      return row.permissions ?? [];
    case 'other_address':
      throw new Refusal(
        'not_yours',
        'This invitation is for another email address. Sign in with the address we wrote to.',
      );
    case 'unconfirmed':
      throw new Refusal('mail_unconfirmed', 'Please confirm your email address first.');
    case 'already_staff':
      throw new Refusal('already_done', 'You are staff already.');
    case 'used':
      throw new Refusal('invitation_ended', 'This invitation has been used. Ask an owner for another one.');
    case 'revoked':
    case 'expired':
      throw new Refusal('invitation_ended', 'This invitation is no longer valid. Ask an owner for another one.');
    default:
      throw new Refusal('not_found', 'This link isn’t valid. Use the newest email, or ask an owner for another one.');
  }
}

/** Whole seconds, as in the link. */
const expiryFrom = (now: Date): Date => new Date(Math.floor(now.getTime() / 1000 + VALID_DAYS * 86_400) * 1000);

const mailInvitation = (tx: Transaction, one: Invitation, now: Date): Promise<void> =>
  enqueue(tx, {
    kind: 'mail.staff-invitation',
    subjectId: one.invitationId,
    dedupe: one.expiresAt.toISOString(),
    payload: { expiresAt: one.expiresAt.toISOString() },
    dueAt: now,
  });
