import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from '../schema/schema.ts';
import { openEmbedded } from './open-embedded.ts';

/**
 * Creates an embedded database of this version and returns its folder as a tar file, which is unpacked much faster than the engine creates
 * a database. It lacks the template databases, which are not used and are a third of it.
 */
export async function makeImage(schema: Schema): Promise<Buffer> {
  const db = await openEmbedded(null, { schema, report: () => undefined, warn: () => undefined });
  await db.query(`update pg_database set datistemplate = false where datname <> current_database()`);
  for (const name of ['template0', 'template1']) await db.script(`drop database ${name}`);
  // Everything before the checkpoint is in the tables, so the new file of the log contains all that is still needed.
  await db.query('select pg_switch_wal()');
  await db.script('checkpoint');
  const current = await db.queryRow<{ name: string }>('select pg_walfile_name(pg_current_wal_lsn()) as name');
  const image = Buffer.from(await (await db.image()).arrayBuffer());
  await db.close();
  return withoutOldLog(image, current?.name ?? '');
}

/** Unpacks an image into a new folder. `sync`: whether every file is on disk at the end. */
export function unpackImage(image: Buffer, folder: string, sync = false): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { name, isFolder, data } of entriesIn(image)) {
    const path = join(folder, name);
    if (isFolder) mkdirSync(path, { recursive: true, mode: 0o700 });
    else writeFileSync(path, data, { mode: 0o600, flush: sync });
    // The engine fills a file of its log with zeros when it creates it.
    if (LOG_FILE.test(name)) truncateSync(path, LOG_FILE_BYTES);
  }
}

const LOG_FILE = /\/pg_wal\/([0-9A-F]{24})$/;
const LOG_FILE_BYTES = 16 * 1024 * 1024;
/** The largest unit in which the engine reads its log, in bytes. */
const LOG_PAGE = 8_192;
const BLOCK = 512;

type Entry = { readonly header: Buffer; readonly name: string; readonly isFolder: boolean; readonly data: Buffer };

/** Reads the files and folders of a tar file. */
function* entriesIn(tar: Buffer): Generator<Entry> {
  for (let start = 0; start < tar.length && tar[start] !== 0;) {
    const header = tar.subarray(start, start + BLOCK);
    const data = start + BLOCK;
    const size = Number.parseInt(header.toString('latin1', 124, 136), 8) || 0;
    yield {
      header,
      name: header.toString('latin1', 0, 100).replace(/\0.*$/s, ''),
      isFolder: header.toString('latin1', 156, 157) === '5',
      data: tar.subarray(data, data + size),
    };
    start = data + Math.ceil(size / BLOCK) * BLOCK;
  }
}

/**
 * Returns a tar file without the files of the write-ahead log, except for the current one, whose trailing zeros are cut off. These files
 * and zeros are two thirds of the image.
 */
function withoutOldLog(tar: Buffer, current: string): Buffer {
  const parts: Buffer[] = [];
  for (const { header, name, data } of entriesIn(tar)) {
    const log = LOG_FILE.exec(name)?.[1];
    if (log !== undefined && log !== current) continue;
    const used = log === undefined ? data : data.subarray(0, usedBytes(data));
    parts.push(withSize(header, used.length), used, Buffer.alloc(-used.length & (BLOCK - 1)));
  }
  // Two empty blocks end a tar file.
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function usedBytes(data: Buffer): number {
  let end = data.length;
  while (end > 0 && data[end - 1] === 0) end -= 1;
  return Math.ceil(end / LOG_PAGE) * LOG_PAGE;
}

/** Returns the header of a file in a tar file with a different size. */
function withSize(original: Buffer, size: number): Buffer {
  const header = Buffer.from(original);
  header.write(`${size.toString(8).padStart(11, '0')} `, 124, 'latin1');
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}
