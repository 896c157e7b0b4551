import type { Database } from '#server/db/database.ts';
import type { Caller } from '#server/http/caller.ts';
import { Refusal } from './core/refusal.ts';

export type People = {
  /** Whether the caller is the service key or has the role admin right now, with a second factor when staff need one. */
  isStaff(caller: Caller): Promise<boolean>;
  /** Throws `Refusal` unless the caller is staff. */
  requireStaff(caller: Caller): Promise<void>;
  /** Throws `Refusal` unless the caller is staff and the developer pages are on: `not_found` when they are off. */
  requireDeveloper(caller: Caller): Promise<void>;
};

export function createPeople(context: { db: Database; developerPages: boolean }): People {
  async function isStaff(caller: Caller): Promise<boolean> {
    if (caller.role === 'service_role') return true;
    if (caller.userId === null) return false;
    const row = await context.db.one<{ staff: boolean }>('select private.acts_as_staff($1::uuid, $2::uuid) as staff', [
      caller.userId,
      caller.sessionId,
    ]);
    return row?.staff === true;
  }
  async function requireStaff(caller: Caller): Promise<void> {
    if (caller.role === 'anon') throw new Refusal('not_signed_in', 'Please sign in first.');
    if (!(await isStaff(caller))) throw new Refusal('not_yours', 'Only staff can do this.');
  }
  return {
    isStaff,
    requireStaff,
    async requireDeveloper(caller) {
      await requireStaff(caller);
      if (!context.developerPages) throw new Refusal('not_found', 'The developer pages are switched off.');
    },
  };
}
