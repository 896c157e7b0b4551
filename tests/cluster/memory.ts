import { readFileSync } from 'node:fs';

/** Returns the private memory of a process in MB, without files that the system may cache or drop. Returns NaN if the process has ended. */
export function ownMegabytes(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return NaN; // The process has ended.
  }
}
