import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#server/config/operating/config.ts';
import type { Queryable } from '#server/db/database.ts';
import { moneyFaults } from './money-audit.ts';
import { describeSums } from './records.ts';
import { openRestored } from './restore-backup.ts';
import { requireFile, requirePassphrase } from './run.ts';

type Print = (line: string) => void;
type Copy = {
  readonly db: Queryable;
  readonly keys: { readonly anonKey: string; readonly serviceRoleKey: string };
  readonly http: { request(path: string, init: RequestInit): Response | Promise<Response> };
  close(): Promise<void>;
};
/** Builds a server on an image of an embedded database. Its background work never starts, so it sends no email and calls no provider. */
export type OpenCopy = (image: Blob, dataDir: string) => Promise<Copy>;

/**
 * `npm run verify-backup -- FILE`: restores a backup in memory, audits its money, signs a customer in and reads a booking. No data leaves
 * the machine. `open` builds a server on the copy. Returns the exit code.
 */
export async function runVerifyBackup(
  config: Pick<Config, 'backup'>,
  argument: string | undefined,
  open: OpenCopy,
  print: Print,
): Promise<number> {
  const file = requireFile('verify-backup', argument);
  await using restored = await openRestored(file, requirePassphrase(config));
  const { db, image, dataDir, sums } = restored;
  print(`restored ${describeSums(sums)}; every sum is right`);
  const faults = [...(await moneyFaults(db))];
  print(faults.length === 0 ? 'the money audit finds nothing' : 'the money audit finds faults');
  await db.close();
  const app = await open(image, dataDir);
  try {
    faults.push(...(await useCopy(app, print)));
  } finally {
    await app.close();
  }
  for (const fault of faults) print(`FAULT ${fault}`);
  print(faults.length === 0 ? 'the backup is good' : 'the backup has faults');
  return faults.length === 0 ? 0 : 1;
}

/** Signs in the customer of the latest booking and reads that booking. Returns the faults. */
async function useCopy({ db, keys, http }: Copy, print: Print): Promise<readonly string[]> {
  const latest = await db.queryRow<{ id: string; email: string }>(
    `select b.id, u.email from private.booking b join auth.users u on u.id = b.user_id
     where u.email is not null and u.banned_until is null and u.deleted_at is null order by b.created_at desc limit 1`,
  );
  if (!latest) {
    print('there is no booking to read');
    return [];
  }
  const ask = async <T>(path: string, key: string, body?: unknown): Promise<T> => {
    const headers = { apikey: keys.anonKey, authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
    return (await http.request(path, init)).json() as Promise<T>;
  };
  const type = 'magiclink';
  const link = await ask<{ hashed_token?: string }>('/auth/v1/admin/generate_link', keys.serviceRoleKey, {
    type,
    email: latest.email,
  });
  const session = await ask<{ access_token?: string }>('/auth/v1/verify', keys.anonKey, {
    type,
    token_hash: link.hashed_token,
  });
  if (session.access_token === undefined) return ['the customer of the latest booking cannot sign in'];
  const rows = await ask<unknown>(`/rest/v1/bookings?select=id,status&id=eq.${latest.id}`, session.access_token);
  if (!Array.isArray(rows) || rows.length !== 1) return ['the customer of the latest booking cannot read it'];
  print('the customer of the latest booking signs in and reads it');
  return [];
}

const KEY_LINE = /^((?:APP|JWT)_SECRET(?:_PREVIOUS)?)=(.+)$/gm;

/** Reads the variables that hold the server's keys from the settings that a restore wrote. */
export async function restoredKeys(dataDir: string): Promise<Record<string, string>> {
  const text = await readFile(join(dataDir, 'restored-settings.env'), 'utf8');
  return Object.fromEntries(Array.from(text.matchAll(KEY_LINE), ([, name = '', value = '']) => [name, value]));
}
