import type { Database } from '#database/types.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** The number of entries on a page. */
export const AUDIT_PAGE = 100;

export type AuditEntry = Database['public']['Tables']['audit_logs']['Row'];

/** Reads the newest entries. Returns none unless the caller is staff. */
export async function readLatestAudit(): Promise<AuditEntry[]> {
  const { data, error } = await rest
    .from('audit_logs')
    .select('*')
    .order('created_at', { ascending: false })
    .limit(AUDIT_PAGE);
  if (error) throw error;
  return data;
}

/** Reads up to a hundred entries that contain all of the words and are older than `before`. */
export async function searchAudit(words: string, before: AuditEntry | null): Promise<AuditEntry[]> {
  const { data, error } = await rest.rpc('search_audit_logs', {
    words,
    ...(before === null ? {} : { before_at: before.created_at, before_id: before.id }),
  });
  if (error) throw error;
  return data ?? [];
}

/** Reads the email addresses of the accounts with these ids. Accounts with only a phone number are missing. */
export async function readActors(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const { data, error } = await rest
    .from('customer_contacts')
    .select('user_id,email')
    .in('user_id', [...ids]);
  if (error) throw error;
  return new Map(rowsWith(data, 'user_id').flatMap(({ user_id: id, email }) => (email === null ? [] : [[id, email]])));
}
