import { readFileSync } from 'node:fs';

/** Returns the memory that a process has for itself in MB, without the files that the system keeps or drops as it likes; NaN when it has ended. */
export function ownMegabytes(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return NaN; // It has ended.
  }
}
