import type { Queryable } from '#server/db/database.ts';

/** The staff accounts, as of the last read. */
export type StaffAccounts = {
  /** Whether a caller (`user:<id>`) was staff at that time. Only decides the queueing of database statements; permissions are checked in SQL. */
  readonly has: (caller: string) => boolean;
  read(db: Queryable): Promise<void>;
};

/** Creates an empty list; `read` fills it. */
export function createStaffAccounts(): StaffAccounts {
  let callers: ReadonlySet<string> = new Set();
  return {
    has: (caller) => callers.has(caller),
    async read(db) {
      const { rows } = await db.query<{ caller: string }>(
        `select 'user:' || r.user_id as caller from public.user_roles r where r.role = 'admin'`,
      );
      callers = new Set(rows.map((row) => row.caller));
    },
  };
}
