/**
 * Points where a crash test kills this process. They do nothing unless a test arms them.
 * `spec` is 'name' or 'name:N' (the N-th pass); the kill is SIGKILL, so no cleanup runs.
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
