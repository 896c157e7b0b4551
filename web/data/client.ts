import { createClient } from '@supabase/supabase-js';
import { announceClient } from '#web/lib/auth-client.ts';
import { dropBrokenSession } from '#web/lib/stored/stored-session.ts';
import { apiUrl, inBrowser, publicKey } from './server.ts';

// This must run before the client reads the stored session.
if (inBrowser) dropBrokenSession(localStorage);
/** The client for accounts, functions and live changes. Use `rest` to read and write rows. */
export const supabase = createClient(apiUrl, publicKey, {
  auth: {
    detectSessionInUrl: false,
    persistSession: inBrowser,
    autoRefreshToken: inBrowser,
    // With PKCE only this browser can exchange the code that an identity provider returns.
    flowType: 'pkce',
  },
  realtime: {
    reconnectAfterMs: reconnectAfter,
    // The next page may follow a channel too.
    disconnectOnEmptyChannelsAfterMs: 2_000,
  },
});
announceClient(supabase);

/**
 * Returns the wait before the next attempt to reconnect. It grows with every failed attempt, up to a minute. It is partly random because
 * all browsers lose a server at the same moment.
 */
function reconnectAfter(tries: number): number {
  const longest = Math.min(1_000 * 2 ** (tries - 1), 60_000);
  return longest * (0.5 + Math.random() / 2);
}
