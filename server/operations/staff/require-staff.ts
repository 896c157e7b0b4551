import type { Database } from '#server/db/database.ts';
import type { Caller } from '#server/http/caller.ts';
import { Refusal } from '../core/refusal.ts';

/** What the checks of a caller's rights work with. */
export type StaffContext = {
  readonly db: Pick<Database, 'one'>;
  /** Whether the developer pages are on. */
  readonly developerPages: boolean;
};

/** Whether the caller is the service key or has the role admin right now, with a second factor when staff need one. */
export async function isStaff({ db }: Pick<StaffContext, 'db'>, caller: Caller): Promise<boolean> {
  if (caller.role === 'service_role') return true;
  if (caller.userId === null) return false;
  const row = await db.one<{ staff: boolean }>('select private.has_staff_rights($1::uuid, $2::uuid) as staff', [
    caller.userId,
    caller.sessionId,
  ]);
  return row?.staff === true;
}

/** Throws `Refusal` unless the caller is staff: `not_signed_in` for guests, else `not_yours`. */
export async function requireStaff(context: Pick<StaffContext, 'db'>, caller: Caller): Promise<void> {
  if (caller.role === 'anon') throw new Refusal('not_signed_in', 'Please sign in first.');
  if (!(await isStaff(context, caller))) throw new Refusal('not_yours', 'Only staff can do this.');
}

/** Throws `Refusal` unless the caller is staff and the developer pages are on: `not_found` when they are off. */
export async function requireDeveloper(context: StaffContext, caller: Caller): Promise<void> {
  await requireStaff(context, caller);
  if (!context.developerPages) throw new Refusal('not_found', 'The developer pages are switched off.');
}
