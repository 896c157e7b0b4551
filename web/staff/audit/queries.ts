import type { Database } from '#database/types.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** How many entries one page shows. */
export const AUDIT_PAGE = 100;

export type AuditEntry = Database['public']['Tables']['audit_logs']['Row'];

/** Reads the newest entries; none unless the caller is staff. */
export async function readLatestAudit(): Promise<AuditEntry[]> {
  const { data, error } = await rest
    .from('audit_logs')
    .select('*')
    .order('created_at', { ascending: false })
    .limit(AUDIT_PAGE);
  if (error) throw error;
  return data;
}

/** Reads up to a hundred entries that contain every one of the words and are older than `before`. */
export async function searchAudit(words: string, before: AuditEntry | null): Promise<AuditEntry[]> {
  const { data, error } = await rest.rpc('search_audit_logs', {
    words,
    ...(before === null ? {} : { before_at: before.created_at, before_id: before.id }),
  });
  if (error) throw error;
  return data ?? [];
}

/** Reads the email addresses of the accounts with these ids. An account may have only a phone number. */
export async function readActors(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const { data, error } = await rest
    .from('customer_contacts')
    .select('user_id,email')
    .in('user_id', [...ids]);
  if (error) throw error;
  return new Map(rowsWith(data, 'user_id').flatMap(({ user_id: id, email }) => (email === null ? [] : [[id, email]])));
}
