import { PostgrestClient } from '@supabase/postgrest-js';
import type { Database } from '#database/types.ts';
import { clientIsLoaded } from '#web/lib/auth-client.ts';
import { hasStoredSession } from '#web/lib/stored/stored-session.ts';
import { fetchClient } from './fetch-client.ts';
import { apiUrl, publicKey } from './server.ts';

/** Reads and writes rows. This is the part of supabase-js for rows; guests need no other part. */
export const rest = new PostgrestClient<Database>(`${apiUrl}/rest/v1`, {
  schema: 'public',
  fetch: fetchAsCaller,
  retry: false,
});

/** Milliseconds before a failed read is tried again. The wait doubles after each try. */
const WAIT_MS = 1_000;
/**
 * Milliseconds after which no further try begins. PostgREST's client would try for up to half a minute, during which the page could not
 * show that the read fails.
 */
const TRYING_MS = 5_000;
/** Statuses that mean that the server is busy or that its proxy cannot reach it. */
const BUSY = [502, 503, 504, 520];

async function fetchAsCaller(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const reads = init?.method === 'GET' || init?.method === 'HEAD';
  const end = performance.now() + (reads ? TRYING_MS : 0);
  for (let tries = 0; ; tries += 1) {
    const sent = send(input, init);
    const answer = await sent.catch(() => null);
    if (answer !== null && !BUSY.includes(answer.status)) return answer;
    const requestedMs = Number(answer?.headers.get('retry-after') ?? 0) * 1_000;
    const wait = Math.max(WAIT_MS * 2 ** tries, requestedMs);
    if (init?.signal?.aborted || performance.now() + wait >= end) return sent;
    await answer?.text();
    await new Promise((done) => setTimeout(done, wait));
  }
}

async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers);
  headers.set('apikey', publicKey);
  headers.set('authorization', `Bearer ${await readToken()}`);
  return fetch(input, { ...init, headers });
}

/** Returns the access token of the signed-in customer, or the public key for a guest. */
async function readToken(): Promise<string> {
  if (!clientIsLoaded() && !hasStoredSession(localStorage)) return publicKey;
  const { data } = await (await fetchClient()).auth.getSession();
  return data.session?.access_token ?? publicKey;
}
