import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { once } from 'node:events';
import { promisify } from 'node:util';

/**
 * The outer form of a backup: a line, the parameters of scrypt, then frames of AES-256-GCM. A frame's number and whether it is the last are
 * part of its nonce, so frames cannot be moved, repeated or left out without being noticed.
 */

const MAGIC = 'STUDIO-BACKUP-1\n';
const FRAME = 64 * 1024;
const TAG = 16;
const SALT = 16;
/** 64 MB and a third of a second for each guess at the passphrase. */
const SCRYPT = { N: 2 ** 16, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

/** The passphrase is wrong, or the file is not a whole, unchanged backup. */
export class BackupUnreadable extends Error {
  override readonly name = 'BackupUnreadable';
}

const keyOf = (passphrase: string, salt: Buffer): Promise<Buffer> =>
  promisify<string, Buffer, number, typeof SCRYPT, Buffer>(scrypt)(passphrase.normalize('NFC'), salt, 32, SCRYPT);

function nonceOf(frame: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(last ? 1 : 0, 0);
  nonce.writeBigUInt64BE(BigInt(frame), 4);
  return nonce;
}

/** Encrypts what it is given, in frames, into `out`. Ends with the last frame; does not end `out`. */
export async function encrypt(plain: AsyncIterable<Uint8Array>, out: Writable, passphrase: string): Promise<void> {
  const salt = randomBytes(SALT);
  const key = await keyOf(passphrase, salt);
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (!out.write(bytes)) await once(out, 'drain');
  };
  await write(Buffer.concat([Buffer.from(MAGIC), salt]));
  let frame = 0;
  const seal = async (bytes: Uint8Array, last: boolean): Promise<void> => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(frame++, last));
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    const head = Buffer.alloc(5);
    head.writeUInt32BE(sealed.length, 0);
    head.writeUInt8(last ? 1 : 0, 4);
    await write(Buffer.concat([head, sealed]));
  };
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const bytes of plain) {
    waiting.push(Buffer.from(bytes));
    size += bytes.length;
    if (size < FRAME) continue;
    const whole = Buffer.concat(waiting);
    let at = 0;
    for (; whole.length - at >= FRAME; at += FRAME) await seal(whole.subarray(at, at + FRAME), false);
    waiting = [whole.subarray(at)];
    size = whole.length - at;
  }
  await seal(Buffer.concat(waiting), true);
}

/** Whether a file begins like a backup. */
export const isBackup = (start: Uint8Array): boolean => Buffer.from(start).toString('latin1').startsWith(MAGIC);
/** How many bytes `isBackup` needs. */
export const MAGIC_LENGTH = MAGIC.length;

/** Decrypts a backup. Throws `BackupUnreadable` at the first frame that is not the written one, when the last is missing, and when something follows it. */
export async function* decrypt(sealed: Readable, passphrase: string): AsyncGenerator<Buffer> {
  const take = reader(sealed);
  const magic = await take(MAGIC.length);
  if (!magic || !isBackup(magic)) throw new BackupUnreadable('this is not a backup');
  const key = await keyOf(passphrase, (await take(SALT)) ?? Buffer.alloc(SALT));
  for (let frame = 0; ; frame += 1) {
    const head = await take(5);
    const length = head?.readUInt32BE(0) ?? 0;
    const last = head?.readUInt8(4) === 1;
    const bytes = length >= TAG && length <= FRAME + TAG ? await take(length) : null;
    if (!bytes) throw new BackupUnreadable('the backup is cut off or damaged');
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(frame, last), { authTagLength: TAG });
    decipher.setAuthTag(bytes.subarray(length - TAG));
    const plain = decipher.update(bytes.subarray(0, length - TAG));
    try {
      decipher.final();
    } catch (cause) {
      const fault = frame === 0 ? 'the passphrase is wrong, or the backup is damaged' : 'the backup is damaged';
      throw new BackupUnreadable(fault, { cause });
    }
    // Before the last bytes are given away: who reads them may not ask for more.
    if (last && (await take(1)) !== null) throw new BackupUnreadable('there is something after the end of the backup');
    yield plain;
    if (last) return;
  }
}

/** Returns what reads exactly so many bytes; null at the end. */
function reader(source: AsyncIterable<Buffer>): (count: number) => Promise<Buffer | null> {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  return async (count) => {
    const parts = [rest];
    let size = rest.length;
    while (size < count) {
      const { done, value } = await chunks.next();
      if (done) return null;
      parts.push(value);
      size += value.length;
    }
    const all = Buffer.concat(parts);
    rest = all.subarray(count);
    return all.subarray(0, count);
  };
}
