import { createHash } from 'node:crypto';
import { createServer, connect, type Server } from 'node:net';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Another process holds the directory. The process exits with code 75 (EX_TEMPFAIL of sysexits.h). */
export class DirectoryLocked extends Error {
  override readonly name = 'DirectoryLocked';
  constructor(folder: string) {
    super(`another server is running on ${folder}; stop it first, or set DATA_DIR to another folder`);
  }
}

/**
 * Locks `folder` while this process lives: two processes on one embedded database would silently lose rows. Returns a function that
 * releases the lock. The lock consists of two sockets, which the kernel closes with the process. The first has an abstract name without a
 * file (Linux): it is never stale, and lets only one process at a time examine the second. The second is a file in the folder, which other
 * network namespaces can see too; if no process answers on it, its server is dead and the lock is taken over.
 */
export async function lockDirectory(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const real = await realpath(folder);
  const held: Server[] = [];
  const release = async (): Promise<void> => {
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  };
  if (process.platform === 'linux') {
    const abstractLock = await listenOn(`\0${createHash('sha256').update(real).digest('hex')}`);
    if (!abstractLock) throw new DirectoryLocked(folder);
    held.push(abstractLock);
  }
  const path = socketPath(real);
  let lock = await listenOn(path);
  if (!lock && !(await isAnswered(path))) {
    await rm(path, { force: true });
    lock = await listenOn(path);
  }
  if (!lock) {
    await release();
    throw new DirectoryLocked(folder);
  }
  held.push(lock);
  return release;
}

/**
 * The maximum length of a socket path is 103 bytes on macOS and 107 on Linux. If the folder's path is longer, its socket is created in the
 * directory for temporary files.
 */
const SOCKET_PATH_MAX = 103;
function socketPath(folder: string): string {
  const path = join(folder, 'lock.sock');
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX) return path;
  return join(tmpdir(), `lock-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}.sock`);
}

function listenOn(path: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.end());
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(path, () => resolve(server));
  });
}

/** Whether a process listens on a socket. */
export function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
