import type { JsonObject } from '#database/types.ts';
import type { JobKind } from '#rules/alerts/jobs.ts';
import type { Queryable, Transaction } from '#server/db/database.ts';
import { enqueue, type Job } from '../core/jobs.ts';
import type { Services } from '../core/services.ts';

/** An access code of any holder. Its digits are encrypted. */
export type Code = {
  readonly id: string;
  readonly lockId: string;
  /** `failed`: the lock refused the code. */
  readonly status: 'requested' | 'issued' | 'revoking' | 'revoked' | 'failed';
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly createdAt: Date;
  /** The number of the code among those of the same hours if the lock computes the digits; otherwise 0. */
  readonly variant: number;
  /** Null until a lock that computes the digits has answered. */
  readonly encryptedPin: string | null;
};
/** The digits of a code as stored. */
export type StoredDigits = { readonly pin_encrypted: string | null; readonly pin_fingerprint: string | null };
/** A code to be stored, keyed by column name. */
export type NewCode = StoredDigits & {
  readonly id: string;
  readonly lock_id: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly created_at: Date;
  readonly variant: number;
};
/** A lock's answer to the request for a code. */
type Acceptance = StoredDigits & { readonly providerCodeId: string | null; readonly now: Date };

/**
 * What differs between the holders of codes: a booking, a guest of a booking, and staff. `Subject` is what a new code needs in addition to
 * its hours.
 */
export type Holder<C extends Code, Subject = never> = {
  /** The type of resource in the audit log. */
  readonly resource: 'access_code' | 'crew_code' | 'staff_code';
  /** Prefix of failpoint names. */
  readonly failpoints: 'access' | 'crew' | 'staff-code';
  /** SQL that selects the fields of `C`. The table of codes has the alias `c`. A condition is appended to it. */
  readonly select: string;
  readonly insert: (tx: Transaction, code: NewCode, subject: Subject) => Promise<unknown>;
  /** Locks the row whose changes end the code. Returns whether the holder may still have a code. */
  readonly lock: (tx: Transaction, code: C) => Promise<boolean>;
  /** Stores the digits, and marks the code as issued if it was requested. */
  readonly accept: (services: Services, tx: Transaction, code: C, answer: Acceptance) => Promise<unknown>;
  /** Marks a code whose removal is about to be queued, even if it was removed before. */
  readonly markRevoking: (tx: Transaction, codeId: string) => Promise<unknown>;
  readonly markRevoked: (tx: Transaction, codeId: string, now: Date) => Promise<unknown>;
  /** Returns the audit log entry for a code that the lock has accepted. */
  readonly entry: (
    code: C,
    change: { readonly before: Code['status']; readonly after: Code['status'] },
  ) => { readonly action: 'create' | 'update'; readonly details: JsonObject };
  /** The kind of job that removes a code from its lock, and the subject and payload of the job for a code. */
  readonly removalKind: JobKind;
  readonly removal: (code: C) => Removal;
};
type Removal = { readonly subjectId: string; readonly payload?: { readonly codeId: string } };

export const readCode = <C extends Code>(db: Queryable, { select }: Holder<C>, codeId: string): Promise<C | null> =>
  db.queryRow<C>(`${select} where c.id = $1::uuid`, [codeId]);

/** Queues the removal of a code from its lock. A second removal of the same code for the same reason is ignored. */
export async function queueRemoval<Ref extends Pick<Code, 'id'>>(
  tx: Transaction,
  holder: { readonly removalKind: JobKind; readonly removal: (code: Ref) => Removal },
  code: Ref,
  { reason, dueAt }: { readonly reason: string; readonly dueAt: Date },
): Promise<void> {
  await enqueue(tx, { kind: holder.removalKind, ...holder.removal(code), dedupe: `${reason}:${code.id}`, dueAt });
}

/**
 * Queues another removal of codes that were removed before their lock had confirmed them. The server may have stopped before it recorded
 * the lock's answer, so the lock may have stored such a code after its removal. `subjectId`: the booking or guest.
 */
export async function removeUnconfirmed<C extends Code>(
  { locks, clock }: Services,
  tx: Transaction,
  holder: Holder<C> & { readonly subjectColumn: string },
  { subjectId, job }: { readonly subjectId: string; readonly job: Job },
): Promise<void> {
  if (!locks.capabilities.revocable) return;
  const { rows } = await tx.query<C>(
    `${holder.select} where ${holder.subjectColumn} = $1::uuid and c.issued_at is null and c.status in ('revoke_pending', 'revoking', 'revoked')
       and c.ends_at > $2::timestamptz`,
    [subjectId, clock()],
  );
  for (const code of rows) {
    await holder.markRevoking(tx, code.id);
    await queueRemoval(tx, holder, code, { reason: `lost:${job.id}:${job.tries}`, dueAt: clock() });
  }
}

/** Inserts a row. The database converts each value to the type of its column. */
export async function insertRow(tx: Transaction, table: string, row: Readonly<Record<string, unknown>>): Promise<void> {
  const columns = Object.keys(row).join(', ');
  await tx.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1::jsonb)`,
    [row],
  );
}

/** Statements for holders whose codes and digits are in the same table. */
export const inOneTable = (
  table: 'private.crew_code' | 'private.staff_code',
): Pick<Holder<Code>, 'accept' | 'markRevoking' | 'markRevoked'> => ({
  accept: (_services, tx, { id }, { pin_encrypted, pin_fingerprint, now }) =>
    tx.query(
      `update ${table} set pin_encrypted = $2, pin_fingerprint = $3,
         status = case when status = 'requested' then 'issued' else status end,
         issued_at = case when status = 'requested' then $4::timestamptz else issued_at end
       where id = $1::uuid`,
      [id, pin_encrypted, pin_fingerprint, now],
    ),
  markRevoking: (tx, codeId) =>
    tx.query(`update ${table} set status = 'revoking', revoked_at = null where id = $1::uuid`, [codeId]),
  markRevoked: (tx, codeId, now) =>
    tx.query(
      `update ${table} set status = 'revoked', revoked_at = $2::timestamptz where id = $1::uuid and status <> 'revoked'`,
      [codeId, now],
    ),
});
