import { readdir, readFile } from 'node:fs/promises';

/** Clock ticks per second in /proc (USER_HZ), which is 100 on Linux whatever its kernel. */
const TICKS_PER_SECOND = 100;

/** Returns the processor time that a process has used, in seconds. NaN if there is no /proc. */
export async function processorTime(pid: number): Promise<number> {
  const { utime, stime } = await readTimes(pid);
  return utime + stime;
}

/** Returns the processor time of the processes that a process has started and that have ended, in seconds. NaN if there is no /proc. */
export async function endedChildrenTime(pid: number): Promise<number> {
  const { cutime, cstime } = await readTimes(pid);
  return cutime + cstime;
}

async function readTimes(pid: number): Promise<Record<'utime' | 'stime' | 'cutime' | 'cstime', number>> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The process name in parentheses may contain spaces, so parsing starts after it. The times are fields 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [utime = NaN, stime = NaN, cutime = NaN, cstime = NaN] = fields
    .slice(11, 15)
    .map((ticks) => Number(ticks) / TICKS_PER_SECOND);
  return { utime, stime, cutime, cstime };
}

/** Returns the processor time of all processes of a PostgreSQL server, in seconds. `backend`: the process id of one of its connections. */
export async function postgresTime(backend: number): Promise<number> {
  const readParent = async (pid: number): Promise<number> =>
    Number((await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')).replace(/^.*\) /s, '').split(' ')[1]);
  const main = await readParent(backend);
  let seconds = await endedChildrenTime(main);
  for (const name of await readdir('/proc').catch(() => []))
    if (/^\d+$/.test(name) && (await readParent(Number(name))) === main)
      seconds += (await processorTime(Number(name))) || 0;
  return seconds;
}

/**
 * Runs `work`. Returns its result, and the processor time that the process used per item of the result, in microseconds. `count`: returns
 * the number of items.
 */
export async function perRequest<T>(
  pid: number,
  work: () => Promise<T>,
  count: (result: T) => number,
): Promise<{ result: T; microseconds: number }> {
  const before = await processorTime(pid);
  const result = await work();
  return { result, microseconds: (((await processorTime(pid)) - before) * 1e6) / count(result) };
}
