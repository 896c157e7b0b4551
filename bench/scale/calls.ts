import { checkout, span, STUDIO_B } from '#tests/support/test-server.ts';
import type { Running } from './database.ts';

const PASSWORD = 'correct horse battery';

/** Times in milliseconds, by the name of what was timed. */
export type Times = Map<string, number[]>;

/** Times `work` under a name. */
export async function timed<T>(times: Times, name: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const done = await work();
  const all = times.get(name) ?? [];
  times.set(name, [...all, performance.now() - began]);
  return done;
}

type Session = { readonly access_token: string; readonly refresh_token: string };

/** Signs up an account, then times its sign-in by password, refresh, reading the account, its list of devices and sign-out. */
export async function signIns({ apiUrl, anonKey, serviceRoleKey }: Running, rounds: number): Promise<Times> {
  const times: Times = new Map();
  const send = async (method: string, path: string, bearer: string, body?: unknown): Promise<Session> => {
    const answer = await fetch(`${apiUrl}/auth/v1/${path}`, {
      method,
      headers: { apikey: anonKey, authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return JSON.parse(text === '' ? '{}' : text);
  };
  const account = { email: `scale-${Date.now()}@example.com`, password: PASSWORD };
  await send('POST', 'admin/users', serviceRoleKey, { ...account, email_confirm: true });
  for (let round = 0; round < rounds; round += 1) {
    const first = await timed(times, 'sign-in by password', () =>
      send('POST', 'token?grant_type=password', anonKey, account),
    );
    const { access_token: token } = await timed(times, 'refresh of a session', () =>
      send('POST', 'token?grant_type=refresh_token', anonKey, { refresh_token: first.refresh_token }),
    );
    await timed(times, 'reading the account', () => send('GET', 'user', token));
    await timed(times, 'sign-out', () => send('POST', 'logout?scope=local', token));
  }
  return times;
}

/** Times the hold of an hour and its release. */
export async function holds({ apiUrl, anonKey }: Running, token: string, rounds: number): Promise<Times> {
  const times: Times = new Map();
  const call = async (name: string, body: unknown): Promise<{ readonly bookingId: string }> => {
    const answer = await fetch(`${apiUrl}/functions/v1/${name}`, {
      method: 'POST',
      headers: { apikey: anonKey, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  // The hours lie beyond the bookings of the coming days. An hour may still be held from the previous turn.
  const hours = span(new Date(), 20 * 24 + Math.floor(Math.random() * 240));
  for (let round = 0; round < rounds; round += 1) {
    const { bookingId } = await timed(times, 'hold', () => call('create-payment', checkout(hours, {}, STUDIO_B)));
    await timed(times, 'release of a hold', () => call('release-hold', { bookingId }));
  }
  return times;
}

/** Times the report of metrics, which counts jobs. */
export async function metrics({ apiUrl }: Running, rounds: number): Promise<Times> {
  const times: Times = new Map();
  for (let round = 0; round < rounds; round += 1) {
    const answer = await timed(times, 'metrics', () => fetch(`${apiUrl}/metrics`));
    if (!answer.ok) throw new Error(`metrics: ${answer.status}`);
    await answer.text();
  }
  return times;
}
