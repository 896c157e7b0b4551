import { readFileSync } from 'node:fs';

/** Returns the resident memory of a process in MB; NaN when it has ended. */
export function residentMegabytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return NaN; // It has ended.
  }
}
