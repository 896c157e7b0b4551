import type { SupabaseClient } from '@supabase/supabase-js';

let made: SupabaseClient | null = null;
const waiting = new Set<(client: SupabaseClient) => void>();

/** Called once, by the module that makes the client. */
export function announceClient(client: SupabaseClient): void {
  made = client;
  for (const told of waiting) told(client);
}

/** Calls back with the client, now or when it has been fetched; answers what takes that back. */
export function whenClient(told: (client: SupabaseClient) => void): () => void {
  if (made) told(made);
  waiting.add(told);
  return () => waiting.delete(told);
}
