import { createClient, FunctionsFetchError, FunctionsHttpError, FunctionsRelayError } from '@supabase/supabase-js';
import type { Database } from '#database/types.ts';
import { announceClient } from '#web/lib/auth-client.ts';
import { AppError, FAILED, OFFLINE, readFailure } from '#web/lib/errors.ts';
import { dropBrokenSession } from '#web/lib/stored-session.ts';

/** False while the build pre-renders pages: then there is no server to ask. */
const inBrowser = typeof window !== 'undefined';
const anonKey =
  (inBrowser ? document.querySelector<HTMLMetaElement>('meta[name="anon-key"]')?.content : null) ?? 'no key yet';
export const apiUrl = inBrowser ? window.location.origin : 'http://localhost';
export const publicKey = anonKey;

// Must run before the client reads the stored session.
if (inBrowser) dropBrokenSession(localStorage);
export const supabase = createClient<Database>(apiUrl, anonKey, {
  auth: {
    detectSessionInUrl: false,
    persistSession: inBrowser,
    autoRefreshToken: inBrowser,
    // With PKCE only this browser can exchange the code that an identity provider returns.
    flowType: 'pkce',
  },
  realtime: {
    reconnectAfterMs: reconnectAfter,
    // The next page may listen too.
    disconnectOnEmptyChannelsAfterMs: 2_000,
  },
});
announceClient(supabase);

/** Waits longer after every failed attempt, up to a minute, and never exactly as long as other browsers: they all lose a server at the same moment. */
function reconnectAfter(tries: number): number {
  const longest = Math.min(1_000 * 2 ** (tries - 1), 60_000);
  return longest * (0.5 + Math.random() / 2);
}

/** Calls a server function. Throws `AppError`. */
export async function callFunction<T>(name: string, body: Record<string, unknown>): Promise<T> {
  const { data, error } = await supabase.functions.invoke<T>(name, { body });
  if (error === null && data !== null) return data;
  throw await describeFailure(error);
}

async function describeFailure(error: unknown): Promise<AppError> {
  if (error instanceof FunctionsFetchError) return new AppError('offline', OFFLINE, 0);
  if (error instanceof FunctionsHttpError || error instanceof FunctionsRelayError) {
    const response: unknown = error.context;
    if (response instanceof Response) return readFailure(response);
  }
  return new AppError('unknown', FAILED, 0);
}
