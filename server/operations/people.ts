import type { Database } from '#server/db/database.ts';
import type { Caller } from '#server/http/caller.ts';
import { Refusal } from './refusal.ts';

export type People = {
  /** The service key, or somebody whose role is admin at this very moment (promises G21), with a second factor where staff must have one. */
  isStaff(caller: Caller): Promise<boolean>;
  /** Lets staff pass. Throws `Refusal`. */
  requireStaff(caller: Caller): Promise<void>;
  /** Lets staff pass while the developer pages are on; otherwise there is nothing here (decisions T-62). */
  requireDeveloper(caller: Caller): Promise<void>;
};

export function createPeople(parts: { db: Database; developerPages: boolean }): People {
  async function isStaff(caller: Caller): Promise<boolean> {
    if (caller.role === 'service_role') return true;
    if (caller.userId === null) return false;
    const row = await parts.db.one<{ staff: boolean }>('select private.acts_as_staff($1::uuid, $2::uuid) as staff', [
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
      if (!parts.developerPages) throw new Refusal('not_found', 'The developer pages are switched off.');
    },
  };
}
