import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createReader } from './byte-reader.ts';

/**
 * The outer format of a backup: a line, the parameters of scrypt, then frames of AES-256-GCM. The nonce of a frame contains its number and
 * whether it is the last one, so moved, repeated and missing frames are detected.
 */

const MAGIC = 'STUDIO-BACKUP-1\n';
const FRAME = 64 * 1024;
const TAG = 16;
const SALT = 16;
/** Each guess at the passphrase costs 64 MB of memory and a third of a second. */
const SCRYPT = { N: 2 ** 16, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

/** The passphrase is wrong, or the file is not a complete, unchanged backup. */
export class BackupUnreadable extends Error {
  override readonly name = 'BackupUnreadable';
}

const deriveKey = (passphrase: string, salt: Buffer): Promise<Buffer> =>
  promisify<string, Buffer, number, typeof SCRYPT, Buffer>(scrypt)(passphrase.normalize('NFC'), salt, 32, SCRYPT);

function toNonce(frame: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(last ? 1 : 0, 0);
  nonce.writeBigUInt64BE(BigInt(frame), 4);
  return nonce;
}

/** Encrypts bytes in frames. */
export async function* encrypt(plain: AsyncIterable<Uint8Array>, passphrase: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT);
  const key = await deriveKey(passphrase, salt);
  yield Buffer.concat([Buffer.from(MAGIC), salt]);
  let frame = 0;
  let waiting: Buffer = Buffer.alloc(0);
  for await (const bytes of plain) {
    waiting = Buffer.concat([waiting, bytes]);
    for (; waiting.length >= FRAME; waiting = waiting.subarray(FRAME)) {
      yield seal(key, frame, waiting.subarray(0, FRAME), false);
      frame += 1;
    }
  }
  yield seal(key, frame, waiting, true);
}

function seal(key: Buffer, frame: number, bytes: Buffer, last: boolean): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, toNonce(frame, last));
  const sealed = [cipher.update(bytes), cipher.final(), cipher.getAuthTag()];
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length + TAG, 0);
  head.writeUInt8(last ? 1 : 0, 4);
  return Buffer.concat([head, ...sealed]);
}

/** Whether a file starts like a backup. */
export const isBackup = async (file: string): Promise<boolean> =>
  (await text(createReadStream(file, { end: MAGIC.length - 1 }))) === MAGIC;

/**
 * Decrypts a backup. Throws `BackupUnreadable` at the first frame that was altered, if the last frame is missing, or if data follows it.
 */
export async function* decrypt(sealed: Readable, passphrase: string): AsyncGenerator<Buffer> {
  const read = createReader(sealed);
  if ((await read(MAGIC.length))?.toString() !== MAGIC) throw new BackupUnreadable('this is not a backup');
  const key = await deriveKey(passphrase, (await read(SALT)) ?? Buffer.alloc(SALT));
  for (let frame = 0; ; frame += 1) {
    const head = await read(5);
    const length = head?.readUInt32BE(0) ?? 0;
    const last = head?.readUInt8(4) === 1;
    const bytes = length >= TAG && length <= FRAME + TAG ? await read(length) : null;
    if (!bytes) throw new BackupUnreadable('the backup is cut off or damaged');
    const decipher = createDecipheriv('aes-256-gcm', key, toNonce(frame, last), { authTagLength: TAG });
    decipher.setAuthTag(bytes.subarray(length - TAG));
    const plain = decipher.update(bytes.subarray(0, length - TAG));
    try {
      decipher.final();
    } catch (cause) {
      const fault = frame === 0 ? 'the passphrase is wrong, or the backup is damaged' : 'the backup is damaged';
      throw new BackupUnreadable(fault, { cause });
    }
    // This check precedes the last bytes because a reader may stop after them.
    if (last && (await read(1)) !== null) throw new BackupUnreadable('there is something after the end of the backup');
    yield plain;
    if (last) return;
  }
}
