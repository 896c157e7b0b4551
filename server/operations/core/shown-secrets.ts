import { type Permission, PERMISSION_WORDS } from '#rules/permissions.ts';
import type { Transaction } from '#server/db/database.ts';
import { callSql } from './call-sql.ts';
import { Refusal } from './refusal.ts';

/** Builds the refusal of staff who lack the permission. */
export const permissionMissing = (permission: Permission): Refusal =>
  new Refusal(
    'not_yours',
    `You need the “${PERMISSION_WORDS[permission].label}” permission for this. An owner can give it to you.`,
    {
      permission,
    },
  );

/** The kinds of secrets that staff are shown. Each secret ends when the person loses the permission. */
export type SecretKind = 'staff-code' | 'booking-code' | 'calendar-feed';
export type ShownSecret = {
  readonly kind: SecretKind;
  /** The id of the code or feed. */
  readonly id: string;
  readonly studioId: string;
  /** Null if it works until it is revoked. */
  readonly endsAt: Date | null;
};

/**
 * Records that a secret is about to be shown to a staff account. Throws `Refusal('not_yours')` if the account has lost the permission in
 * the meantime.
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
