/**
 * Places where a crash test may kill this process (promises section 6.2). Unarmed, as always outside tests, they do nothing.
 * `spec` is 'name' or 'name:N' (the N-th time the name is passed); the kill is SIGKILL, so nothing can tidy up.
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
