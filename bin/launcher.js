// Watches the program that ran `npm start`: once it has ended, nothing else could stop the server.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const EVERY_MS = 500;

/**
 * Calls `ended` when npm, or another program that started this one, has ended. npm runs a script in a shell, which outlives npm if npm is
 * killed. `proc`: the folder in which the system describes processes. Without it (macOS) `ps` describes them, and without both only the
 * parent is watched.
 */
export function watchLauncher(ended, proc = '/proc') {
  const parent = process.ppid;
  const { name, parent: above } = describeProcess(parent, proc);
  const npm = /(^|\/)-?\w*sh$/.test(name) && above > 1 ? above : null;
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === null || isRunning(npm, proc))) return;
    clearInterval(timer);
    ended();
  }, EVERY_MS);
  timer.unref();
}

function describeProcess(pid, proc) {
  const stat = readStat(pid, proc);
  if (stat !== null) return stat;
  const { stdout, status } = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' });
  const [, parent = '0', name = ''] = (status === 0 && /^\s*(\d+)\s+(.*?)\s*$/.exec(stdout)) || [];
  return { name, parent: Number(parent) };
}

/** Whether a process runs. A killed process stays in the state Z until its parent has collected its exit status. */
function isRunning(pid, proc) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // The process exists but belongs to another user.
    if (error.code !== 'EPERM') return false;
  }
  return readStat(pid, proc)?.state !== 'Z';
}

/** Reads `pid (name) state parent …`. Returns null if there is no such file. */
function readStat(pid, proc) {
  try {
    const [, name, state, parent] = /^\d+ \((.*)\) (\w) (\d+)/s.exec(
      readFileSync(join(proc, String(pid), 'stat'), 'utf8'),
    );
    return { name, state, parent: Number(parent) };
  } catch {
    return null;
  }
}
