import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { encrypt } from './encrypted-file.ts';
import { pack } from './records.ts';
import { atOneMoment, type BackupSource, recordsOf } from './records-of.ts';

/** Writes an encrypted backup into a stream, which it does not end. */
export function streamBackup(source: BackupSource, out: Writable, passphrase: string, now: Date): Promise<void> {
  return atOneMoment(source.db, (sql) => encrypt(pack(recordsOf(source, sql, now)), out, passphrase));
}

/** Writes a file that appears whole or not at all, readable by its owner only. `write` fills it. */
export async function writeWhole(file: string, write: (out: Writable) => Promise<void>): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.part`;
  const out = createWriteStream(draft, { mode: 0o600 });
  const closed = finished(out);
  // Reported by the await below.
  closed.catch(() => undefined);
  try {
    await Promise.race([write(out), closed]);
    out.end();
    await closed;
    const written = await open(draft, 'r+');
    await written.sync();
    await written.close();
    await rename(draft, file);
  } catch (error) {
    out.destroy();
    await rm(draft, { force: true });
    throw error;
  }
}
