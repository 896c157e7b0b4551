/**
 * The failpoint at which a crash test kills this process. Failpoints do nothing unless a test arms one.
 * `spec` is 'name' or 'name:N' for the N-th pass. The process is killed by SIGKILL, so no cleanup runs.
 */
let armed: { name: string; countdown: number } | null = null;

export function armFailpoints(spec: string): void {
  const [name = '', count = '1'] = spec.split(':');
  armed = { name, countdown: Number(count) };
}

export function failpoint(name: string): void {
  if (armed === null || armed.name !== name) return;
  armed.countdown -= 1;
  if (armed.countdown <= 0) process.kill(process.pid, 'SIGKILL');
}
