import type { Permission } from '#rules/permissions.ts';
import type { Transaction } from '#server/db/database.ts';
import { callSql } from '../core/call-sql.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

type FactorChange = {
  readonly permissions: readonly Permission[];
  /** Number of days for which accounts without a second factor keep these permissions. Existing rules keep their original start. */
  readonly graceDays: number;
};

const DAY_MS = 86_400_000;

/**
 * Sets exactly which permissions need a session with a second factor. Staff who need one because of a new rule and have none are mailed
 * immediately, and again a day before they need it. Throws `Refusal` for an owner who has no second factor or has not used it in this
 * session.
 */
export async function setSecondFactorRules(
  { db, clock }: Services,
  { permissions, graceDays }: FactorChange,
  by: { readonly actor: string; readonly sessionId: string | null },
): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await readRules(tx);
    const outcome = await callSql(tx, 'set_second_factor_rules', {
      p_permissions: permissions,
      p_actor: by.actor,
      p_session: by.sessionId,
      p_grace: `${graceDays} days`,
    });
    requireSet(outcome);
    const newPermissions = permissions.filter((permission) => !before.includes(permission));
    await tellStaff(tx, newPermissions, graceDays, clock());
  });
}

async function readRules(tx: Transaction): Promise<readonly string[]> {
  const { rows } = await tx.query<{ permission: string }>('select permission from private.second_factor_rule');
  return rows.map(({ permission }) => permission);
}

/** Queues the mails to staff who are affected by new rules and have no second factor. */
async function tellStaff(
  tx: Transaction,
  newPermissions: readonly Permission[],
  graceDays: number,
  now: Date,
): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    `select distinct p.user_id as id from public.staff_permissions p
     where (p.permission = any ($1::text[]) or p.permission = 'owner' and cardinality($1::text[]) > 0) and not private.has_verified_factor(p.user_id)`,
    [newPermissions],
  );
  const reminder = new Date(now.getTime() + (graceDays - 1) * DAY_MS);
  for (const { id } of rows)
    for (const dueAt of reminder > now ? [now, reminder] : [now])
      await enqueue(tx, { kind: 'mail.second-factor', subjectId: id, dedupe: dueAt.toISOString(), dueAt });
}

function requireSet(outcome: string | null): void {
  switch (outcome) {
    case 'set':
      return;
    case 'not_owner':
      throw new Refusal('not_yours', 'Only owners can do this.', { permission: 'owner' });
    case 'no_factor':
      throw new Refusal(
        'second_factor_required',
        'Add an authenticator app in your account settings first. Otherwise you would lock yourself out.',
      );
    case 'not_shown':
      throw new Refusal('second_factor_required', 'Sign in with your second step first.');
    default:
      throw new Error(`set_second_factor_rules returned ${outcome}`);
  }
}
