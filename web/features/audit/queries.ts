import { supabase } from '#web/data/client.ts';

/** How many entries are shown at once (spec section 9). */
export const AUDIT_PAGE = 100;

export type AuditEntry = {
  readonly id: string;
  readonly created_at: string;
  readonly actor: string | null;
  readonly action: string;
  readonly resource_type: string;
  readonly resource_id: string | null;
  readonly details: Readonly<Record<string, unknown>>;
};

/** The newest entries; none for who is not staff. */
export async function readLatestAudit(): Promise<AuditEntry[]> {
  const { data, error } = await supabase
    .from('audit_logs')
    .select('*')
    .order('created_at', { ascending: false })
    .limit(AUDIT_PAGE)
    .overrideTypes<AuditEntry[], { merge: false }>();
  if (error) throw error;
  return data;
}

/** The next hundred that hold every one of the words, older than `before`. */
export async function searchAudit(words: string, before: AuditEntry | null): Promise<AuditEntry[]> {
  const { data, error } = await supabase.rpc('search_audit_logs', {
    words,
    before_at: before?.created_at ?? null,
    before_id: before?.id ?? null,
  });
  if (error) throw error;
  const entries: AuditEntry[] = data ?? [];
  return entries;
}

/** The addresses of those who did something, by their id. */
export async function readActors(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const { data, error } = await supabase
    .from('profiles')
    .select('user_id,email')
    .in('user_id', [...ids])
    .overrideTypes<{ user_id: string; email: string | null }[], { merge: false }>();
  if (error) throw error;
  return new Map(data.flatMap((one) => (one.email === null ? [] : [[one.user_id, one.email] as const])));
}
