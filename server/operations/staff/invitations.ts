import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Permission, PERMISSIONS } from '#rules/permissions.ts';
import type { Transaction } from '#server/db/database.ts';
import { callRows, callSql } from '../core/call-sql.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

export type Invitation = { readonly invitationId: string; readonly expiresAt: Date };

/** Purpose of the signed link of an invitation. */
const INVITATION_LINK = 'staff-invitation';
const VALID_DAYS = 7;
const NOT_OWNER = new Refusal('not_yours', 'Only owners can do this.', { permission: 'owner' });

/** Returns the token of an invitation's link. It is derived from id and expiry, so that it need not be stored to be mailed again. */
export const invitationToken = ({ links }: Services, invitation: Invitation): string =>
  links.sign(INVITATION_LINK, invitation.invitationId, invitation.expiresAt);

/**
 * Invites an address to become staff with exactly these permissions, and mails the link. Repeating an open invitation sends no second mail;
 * a different invitation for the address replaces it. Throws `Refusal`.
 */
export async function inviteStaff(
  services: Services,
  { email, permissions }: { readonly email: string; readonly permissions: readonly Permission[] },
  actor: string,
): Promise<Invitation> {
  const now = services.clock();
  const fresh = { invitationId: randomUUID(), expiresAt: expiryFrom(now) };
  return services.db.transaction(async (tx) => {
    const [row] = await callRows(tx, 'invite_staff', {
      p_id: fresh.invitationId,
      p_email: email,
      p_permissions: permissions,
      p_token: invitationToken(services, fresh),
      p_expires: fresh.expiresAt,
      p_actor: actor,
      p_now: now,
    });
    if (row?.outcome === 'invited') {
      await mailInvitation(tx, fresh, now);
      return fresh;
    }
    if (row?.outcome === 'already_staff')
      throw new Refusal('already_done', 'This person is already on the staff. You can change their permissions.');
    if (row?.outcome !== 'waiting' || row.id === null || row.expires_at === null) throw NOT_OWNER;
    return { invitationId: row.id, expiresAt: row.expires_at };
  });
}

/** Mails an open invitation again, with a new link that replaces the previous one. Throws `Refusal`. */
export async function renewInvitation(services: Services, invitationId: string, actor: string): Promise<Invitation> {
  const now = services.clock();
  const renewed = { invitationId, expiresAt: expiryFrom(now) };
  return services.db.transaction(async (tx) => {
    const outcome = await callSql(tx, 'renew_invitation', {
      p_id: invitationId,
      p_token: invitationToken(services, renewed),
      p_expires: renewed.expiresAt,
      p_actor: actor,
    });
    refuse(outcome);
    await mailInvitation(tx, renewed, now);
    return renewed;
  });
}

/** Ends an open invitation, whose link then stops working. Throws `Refusal`. */
export async function revokeInvitation({ db, clock }: Services, invitationId: string, actor: string): Promise<void> {
  refuse(await callSql(db, 'revoke_invitation', { p_id: invitationId, p_actor: actor, p_now: clock() }));
}

function refuse(outcome: string | null): void {
  if (outcome === 'not_owner') throw NOT_OWNER;
  if (outcome === 'unknown') throw new Refusal('not_found', 'We couldn’t find this invitation.');
  if (outcome === 'closed') throw new Refusal('already_done', 'This invitation was accepted or revoked.');
}

/** Makes an account staff with the permissions of the invitation that belongs to the token, and returns them. Throws `Refusal`. */
export async function acceptInvitation({ db, clock }: Services, token: string, userId: string): Promise<Permission[]> {
  const [row] = await callRows(db, 'accept_invitation', { p_token: token, p_user: userId, p_now: clock() });
  switch (row?.outcome) {
    case 'accepted':
      return z.array(z.enum(PERMISSIONS)).parse(row.permissions ?? []);
    case 'other_address':
      throw new Refusal(
        'not_yours',
        'This invitation is for another email address. Sign in with the address we wrote to.',
      );
    case 'unconfirmed':
      throw new Refusal('mail_unconfirmed', 'Please confirm your email address first.');
    case 'already_staff':
      throw new Refusal('already_done', 'You are already on the staff.');
    case 'used':
      throw new Refusal('invitation_ended', 'This invitation has been used. Ask an owner for another one.');
    case 'revoked':
    case 'expired':
      throw new Refusal('invitation_ended', 'This invitation is no longer valid. Ask an owner for another one.');
    default:
      throw new Refusal('not_found', 'This link isn’t valid. Use the newest email, or ask an owner for another one.');
  }
}

/** Rounds to whole seconds, as in the link. */
const expiryFrom = (now: Date): Date => new Date(Math.floor(now.getTime() / 1000 + VALID_DAYS * 86_400) * 1000);

const mailInvitation = (tx: Transaction, invitation: Invitation, now: Date): Promise<void> =>
  enqueue(tx, {
    kind: 'mail.staff-invitation',
    subjectId: invitation.invitationId,
    dedupe: invitation.expiresAt.toISOString(),
    payload: { expiresAt: invitation.expiresAt.toISOString() },
    dueAt: now,
  });
