import { PostgrestClient } from '@supabase/postgrest-js';
import type { Database } from '#database/types.ts';
import { clientIsLoaded } from '#web/lib/auth-client.ts';
import { hasStoredSession } from '#web/lib/stored/stored-session.ts';
import { fetchClient } from './fetch-client.ts';
import { apiUrl, publicKey } from './server.ts';

/** Reads and writes rows: the part of supabase-js that does so, without the rest of it, which a guest does not need. */
export const rest = new PostgrestClient<Database>(`${apiUrl}/rest/v1`, {
  schema: 'public',
  fetch: fetchAsCaller,
  retry: false,
});

/** How long a failed read waits before it is tried again; twice as long after each try. */
const WAIT_MS = 1_000;
/** No try begins later than this. PostgREST's client tries for up to half a minute, in which the page could not say that the read fails. */
const TRYING_MS = 5_000;
/** The server is busy, or its proxy does not reach it. */
const BUSY = [502, 503, 504, 520];

async function fetchAsCaller(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const reads = init?.method === 'GET' || init?.method === 'HEAD';
  const end = performance.now() + (reads ? TRYING_MS : 0);
  for (let tries = 0; ; tries += 1) {
    const sent = send(input, init);
    const answer = await sent.catch(() => null);
    if (answer !== null && !BUSY.includes(answer.status)) return answer;
    const asked = Number(answer?.headers.get('retry-after') ?? 0) * 1_000;
    const wait = Math.max(WAIT_MS * 2 ** tries, asked);
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

/** Returns the access token of the signed-in customer, and the public key for a guest. */
async function readToken(): Promise<string> {
  if (!clientIsLoaded() && !hasStoredSession(localStorage)) return publicKey;
  const { data } = await (await fetchClient()).auth.getSession();
  return data.session?.access_token ?? publicKey;
}
