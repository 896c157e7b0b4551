/** A part of the service. `since`: the instant at which it entered this state or the server started. */
export type StatusPart = {
  readonly name: string;
  readonly state: 'working' | 'disturbed';
  readonly since: string;
};

/** Reads which parts of the service work. The server answers this without its database. */
export async function readStatus(): Promise<readonly StatusPart[]> {
  const response = await fetch('/status.json', { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`the status cannot be read: ${response.status}`);
  // Cast: this is the server's own answer (server/http/health/status.ts).
  const { parts } = (await response.json()) as { parts: readonly StatusPart[] };
  return parts;
}
