import { PostgrestClient } from '@supabase/postgrest-js';
import type { Database } from '#database/types.ts';
import { clientIsLoaded } from '#web/lib/auth-client.ts';
import { hasStoredSession } from '#web/lib/stored/stored-session.ts';
import { fetchClient } from './fetch-client.ts';
import { apiUrl, publicKey } from './server.ts';

/** Reads and writes rows: the part of supabase-js that does so, without the rest of it, which a guest does not need. */
export const rest = new PostgrestClient<Database>(`${apiUrl}/rest/v1`, { schema: 'public', fetch: fetchAsCaller });

async function fetchAsCaller(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers);
  headers.set('apikey', publicKey);
  headers.set('authorization', `Bearer ${await readToken()}`);
  return fetch(input, { ...init, headers });
}

/** Returns the access token of the signed-in customer, and the public key for a guest. */
async function readToken(): Promise<string> {
  if (!clientIsLoaded() && !hasStoredSession(localStorage)) return publicKey;
  const { data } = await (await fetchClient()).auth.getSession();
  return data.session?.access_token ?? publicKey;
}
