import type { Permission } from '#rules/permissions.ts';
import type { Transaction } from '#server/db/database.ts';
import { callSql } from './call-sql.ts';
import { Refusal } from './refusal.ts';

/** The refusal of staff who lack the permission. */
export const permissionMissing = (permission: Permission): Refusal =>
  new Refusal('not_yours', `You need the permission “${permission}” for this. An owner can give it to you.`, {
    permission,
  });

/** The secrets that staff are shown, by what they open. Each ends when the person loses the permission. */
export type SecretKind = 'staff-code' | 'booking-code' | 'calendar-feed';
export type ShownSecret = {
  readonly kind: SecretKind;
  /** The code or feed. */
  readonly id: string;
  readonly studioId: string;
  /** null: works until it is revoked. */
  readonly endsAt: Date | null;
};

/**
 * Records that an account of staff is shown a secret, before it is shown. Throws `Refusal('not_yours')` when the account has lost the permission
 * meanwhile.
 */
export async function recordShown(
  tx: Transaction,
  { kind, id, studioId, endsAt }: ShownSecret,
  { actor, permission, now }: { readonly actor: string; readonly permission: Permission; readonly now: Date },
): Promise<void> {
  const recorded = await callSql(tx, 'show_secret', {
    p_kind: kind,
    p_subject: id,
    p_studio: studioId,
    p_ends: endsAt,
    p_user: actor,
    p_permission: permission,
    p_now: now,
  });
  if (recorded !== true) throw permissionMissing(permission);
}
