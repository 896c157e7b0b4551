import type { SupabaseClient } from '@supabase/supabase-js';

let made: SupabaseClient | null = null;
const waiting = new Set<(client: SupabaseClient) => void>();

/** Announces the client; called once, by the module that creates it. */
export function announceClient(client: SupabaseClient): void {
  made = client;
  for (const told of waiting) told(client);
}

/** Calls `listener` with the client, now or once it is loaded; returns how to stop. */
export function whenClient(told: (client: SupabaseClient) => void): () => void {
  if (made) told(made);
  waiting.add(told);
  return () => waiting.delete(told);
}
