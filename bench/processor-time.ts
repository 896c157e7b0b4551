import { readFile } from 'node:fs/promises';

/** Clock ticks per second of /proc (USER_HZ), 100 on Linux whatever its kernel. */
const TICKS_PER_SECOND = 100;

/** The processor time that a process has used, in seconds. NaN where there is no /proc. */
export async function processorTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The name in parentheses may hold spaces; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Runs `work` and returns its result with the microseconds of processor time that the process used for each of its `count`. */
export async function perRequest<T>(
  pid: number,
  work: () => Promise<T>,
  count: (result: T) => number,
): Promise<{ result: T; microseconds: number }> {
  const before = await processorTime(pid);
  const result = await work();
  return { result, microseconds: (((await processorTime(pid)) - before) * 1e6) / count(result) };
}
