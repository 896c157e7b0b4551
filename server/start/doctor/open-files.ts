import { readFileSync } from 'node:fs';
import { ConfigRefused } from '#server/config/config-refused.ts';

/** The files and connections that a server needs at least, for its modules, the database and the first hundreds of visitors. */
const NEEDED = 1_024;

/**
 * Parses the text of `/proc/self/limits`. Returns how many files and connections a process may have open, or null if the text does not
 * contain the limit.
 */
export function openFilesIn(limits: string): number | null {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === undefined) return null;
  return soft === 'unlimited' ? Infinity : Number(soft);
}

/** Throws `ConfigRefused` if this process cannot open enough files to start. Systems without `/proc` are not checked. */
export function requireOpenFiles(read: () => string = () => readFileSync('/proc/self/limits', 'utf8')): void {
  let most: number | null;
  try {
    most = openFilesIn(read());
  } catch {
    return;
  }
  if (most !== null && most < NEEDED)
    throw new ConfigRefused([
      `this process may open ${most} files and connections, and needs at least ${NEEDED}: raise the limit with "ulimit -n 4096", or LimitNOFILE of systemd`,
    ]);
}
