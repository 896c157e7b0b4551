import type { Permission } from '#rules/permissions.ts';
import type { Transaction } from '#server/db/database.ts';
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
  const row = await tx.one<{ recorded: boolean }>(
    'select private.show_secret($1, $2::uuid, $3::uuid, $4::timestamptz, $5::uuid, $6, $7::timestamptz) as recorded',
    [kind, id, studioId, endsAt, actor, permission, now],
  );
  if (row?.recorded !== true) throw permissionMissing(permission);
}
