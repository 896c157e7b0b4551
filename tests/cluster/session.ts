import { persistently, Refused } from './client.ts';
import type { Servers } from './servers.ts';

/** Signs in once. The session must survive everything that follows. */
export async function openSession(servers: Servers): Promise<() => Promise<void>> {
  const call = async (
    path: string,
    init: RequestInit,
    more: Record<string, string> = {},
  ): Promise<Record<string, string>> => {
    const response = await fetch(`${servers.url}/auth/v1/${path}`, {
      ...init,
      headers: { apikey: servers.anonKey, 'content-type': 'application/json', ...more },
    });
    if (response.status >= 500) throw new Error(`${path}: ${response.status}`);
    if (!response.ok) throw new Refused(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const post = (path: string, body: unknown) => call(path, { method: 'POST', body: JSON.stringify(body) });
  let tokens = await post('token?grant_type=password', { email: 'customer@example.com', password: 'demo-customer-1' });
  return async () => {
    const { refresh_token } = tokens;
    tokens = await persistently(() => post('token?grant_type=refresh_token', { refresh_token }));
    await persistently(() => call('user', {}, { authorization: `Bearer ${tokens['access_token']}` }));
  };
}
