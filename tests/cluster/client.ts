import type { Servers } from './servers.ts';

/** Makes calls like a client that retries while no server answers. */

/** How long a client retries, in milliseconds. */
const TRY_MS = 60_000;
const PAUSE_MS = 250;
const ANSWER_MS = 15_000;

/** An answer that retrying cannot change. */
export class Refused extends Error {}

/** Retries while no server answers or the server is busy, for up to TRY_MS. Calls `note` with the error of each failed try. */
export async function persistently<T>(
  attempt: () => Promise<T>,
  note: (problem: string) => void = () => undefined,
): Promise<T> {
  const end = performance.now() + TRY_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof Refused || performance.now() > end) throw error;
      note(String(error).slice(0, 120));
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
  }
}

/** The longest time for which a client had to retry a request, and the errors it encountered. */
export type Wait = { readonly seconds: number; readonly met: string };

/** Like `persistently`, but records the longest wait since the last call of `slowest`, which shows what a client noticed. */
export function createStopwatch(): { ask<T>(attempt: () => Promise<T>): Promise<T>; slowest(): Wait } {
  let slowest: Wait = { seconds: 0, met: '' };
  return {
    async ask(attempt) {
      const began = performance.now();
      const seconds = (): number => (performance.now() - began) / 1_000;
      const problems: string[] = [];
      try {
        return await persistently(attempt, (problem) => problems.push(`${seconds().toFixed(1)} s: ${problem}`));
      } finally {
        if (seconds() > slowest.seconds) slowest = { seconds: seconds(), met: problems.join('; ') };
      }
    },
    slowest() {
      const answer = slowest;
      slowest = { seconds: 0, met: '' };
      return answer;
    },
  };
}

let turn = 0;
/** Returns the address of the next server. */
export const nextUrl = ({ urls }: Servers): string => urls[(turn += 1) % urls.length] ?? '';

/** Calls a function of the next server. `wait` is the code of a temporary refusal, after which the call is retried. */
export async function post<T>(
  servers: Servers,
  { name, token, body, wait }: { name: string; token: string; body: unknown; wait?: string },
): Promise<T> {
  const response = await fetch(`${nextUrl(servers)}/functions/v1/${name}`, {
    method: 'POST',
    headers: { apikey: servers.anonKey, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const text = await response.text();
  if (response.status === 200) return JSON.parse(text) as T;
  const problem = `${name}: ${response.status} ${text}`;
  // 202 means that the payment provider has not answered yet. Repeating the call requests the same hold.
  if (response.status >= 500 || response.status === 202) throw new Error(problem);
  throw wait !== undefined && text.includes(`"${wait}"`) ? new Error(problem) : new Refused(problem);
}

/** Pays a session at the provider. */
export async function payAt(sandboxUrl: string, session: string): Promise<void> {
  const response = await fetch(`${sandboxUrl}/api/payments/${session}`, {
    method: 'POST',
    body: JSON.stringify({ outcome: 'paid' }),
    headers: { 'content-type': 'application/json' },
  });
  if (!response.ok) throw new Error(`payment of ${session}: ${response.status} ${await response.text()}`);
}

/** Reads a list from the sandbox's control API. */
export async function listAt<T>(sandboxUrl: string, path: string): Promise<readonly T[]> {
  return (await (await fetch(`${sandboxUrl}/api/${path}`)).json()) as T[];
}
