import { createServer, type Socket } from 'node:net';
import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { type BackupSource, streamBackup } from './write-backup.ts';

/** The socket is in DATA_DIR, which only its owner may enter. */
export const SOCKET = 'backup.sock';

/**
 * Answers `npm run backup` on a socket in DATA_DIR: only the process that has opened the embedded database can read it. Returns a function
 * that stops answering.
 */
export async function answerBackups(source: BackupSource, warn: (line: string) => void): Promise<() => Promise<void>> {
  const path = join(source.dataDir, SOCKET);
  await rm(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined); // the operator has stopped the command
    answer(source, socket).catch((error: unknown) => {
      warn(`the backup failed: ${String(error)}`);
      socket.destroy();
    });
  });
  server.unref();
  await new Promise<void>((resolve) => {
    // Without the socket, `npm run backup` works only while the server is stopped.
    server.once('error', (error) => {
      warn(`npm run backup works only while this server is stopped, because its socket failed: ${error.message}`);
      resolve();
    });
    server.listen(path, resolve);
  });
  return () => new Promise((resolve) => server.close(() => resolve()));
}

async function answer(source: BackupSource, socket: Socket): Promise<void> {
  const request = await text(socket);
  // The client only checked whether a server is running.
  if (request === '') return void socket.end();
  const { passphrase } = JSON.parse(request) as { passphrase: string };
  await streamBackup(source, socket, passphrase, new Date());
}
