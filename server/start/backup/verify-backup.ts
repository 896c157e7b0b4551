import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectStore } from '#server/providers/ports.ts';
import { describeSums } from './records.ts';
import { openRestored } from './restore-backup.ts';
import { moneyFaults } from './money-audit.ts';
import type { Queryable } from '#server/db/database.ts';

/** Builds a server on an image of an embedded database. Its background work never starts, so no mail leaves and no provider is called. */
export type OpenCopy = (
  image: Blob,
  dataDir: string,
) => Promise<{
  readonly db: Queryable;
  readonly keys: { readonly anonKey: string; readonly serviceRoleKey: string };
  readonly http: { request(path: string, init: RequestInit): Response | Promise<Response> };
  close(): Promise<void>;
}>;

/** Restores a backup in memory, audits its money, signs a customer in and reads a booking. Returns the faults. Nothing leaves the machine. */
export async function verifyBackup(
  file: string,
  passphrase: string,
  beside: { readonly dataDir: string; readonly store: ObjectStore; readonly open: OpenCopy },
  print: (line: string) => void,
): Promise<readonly string[]> {
  const { db, image, sums } = await openRestored(file, passphrase, beside);
  print(`restored ${describeSums(sums)}; every sum is right`);
  const faults = await moneyFaults(db);
  print(faults.length === 0 ? 'the money audit finds nothing' : 'the money audit finds faults');
  await db.close();
  const app = await beside.open(image, beside.dataDir);
  try {
    const latest = await app.db.one<{ id: string; email: string }>(
      `select b.id, u.email from private.booking b join auth.users u on u.id = b.user_id
       where u.email is not null and u.banned_until is null and u.deleted_at is null order by b.created_at desc limit 1`,
    );
    if (!latest) {
      print('there is no booking to read');
      return faults;
    }
    const ask = async (path: string, key: string, body?: unknown): Promise<unknown> => {
      const headers = { apikey: app.keys.anonKey, authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const answer = await app.http.request(path, {
        headers,
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
      return answer.json();
    };
    const link = (await ask('/auth/v1/admin/generate_link', app.keys.serviceRoleKey, {
      type: 'magiclink',
      email: latest.email,
    })) as { hashed_token?: string };
    const session = (await ask('/auth/v1/verify', app.keys.anonKey, {
      type: 'magiclink',
      token_hash: link.hashed_token,
    })) as { access_token?: string };
    const rows = await ask(`/rest/v1/bookings?select=id,status&id=eq.${latest.id}`, session.access_token ?? '');
    const read = Array.isArray(rows) && rows.length === 1;
    if (session.access_token === undefined) return [...faults, 'the customer of the latest booking cannot sign in'];
    if (!read) return [...faults, 'the customer of the latest booking cannot read it'];
    print('the customer of the latest booking signs in and reads it');
    return faults;
  } finally {
    await app.close();
  }
}

const KEY_LINE = /^((?:APP|JWT)_SECRET(?:_PREVIOUS)?)=(.+)$/gm;

/** Reads the variables of the server's keys from the settings that a restore wrote. */
export async function restoredKeys(dataDir: string): Promise<Record<string, string>> {
  const text = await readFile(join(dataDir, 'restored-settings.env'), 'utf8');
  return Object.fromEntries(Array.from(text.matchAll(KEY_LINE), ([, name = '', value = '']) => [name, value]));
}
