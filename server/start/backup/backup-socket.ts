import { createServer, type Socket } from 'node:net';
import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { type BackupSource, streamBackup } from './write-backup.ts';

/** In DATA_DIR, which only its owner may enter. */
export const SOCKET = 'backup.sock';

/**
 * Answers `npm run backup` on a socket in DATA_DIR: the process that has the embedded database open is the only one that may read it.
 * Returns what ends that.
 */
export async function answerBackups(source: BackupSource, warn: (line: string) => void): Promise<() => Promise<void>> {
  const path = join(source.dataDir, SOCKET);
  await rm(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined); // the person has stopped it
    answer(source, socket).catch((error: unknown) => {
      warn(`the backup failed: ${String(error)}`);
      socket.destroy();
    });
  });
  server.unref();
  await new Promise<void>((resolve) => {
    // Without it `npm run backup` works while the server is stopped.
    server.once('error', (error) => {
      warn(`npm run backup cannot reach this server: ${error.message}`);
      resolve();
    });
    server.listen(path, resolve);
  });
  return () => new Promise((resolve) => server.close(() => resolve()));
}

async function answer(source: BackupSource, socket: Socket): Promise<void> {
  const request = await text(socket);
  // The client has only looked whether a server is there.
  if (request === '') return void socket.end();
  const { passphrase } = JSON.parse(request) as { passphrase: string };
  await streamBackup(source, socket, passphrase, new Date());
}
