import type { SupabaseClient } from '@supabase/supabase-js';

let loaded: SupabaseClient | null = null;
const waiting = new Set<(client: SupabaseClient) => void>();

/** Announces the client. Called once, by the module that creates it. */
export function announceClient(client: SupabaseClient): void {
  loaded = client;
  for (const listener of waiting) listener(client);
}

export const clientIsLoaded = (): boolean => loaded !== null;

/** Calls `listener` with the client, immediately or once it is loaded. Returns a function that cancels this. */
export function whenClient(listener: (client: SupabaseClient) => void): () => void {
  if (loaded) listener(loaded);
  waiting.add(listener);
  return () => waiting.delete(listener);
}
