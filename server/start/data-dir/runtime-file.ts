import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Keys } from '#server/crypto/keys.ts';

type RuntimeSettings = {
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly production: boolean;
  readonly sandboxUrl: string | null;
  readonly siteUrl: string;
};

/**
 * Returns the output of `npm run -s status`. In production it contains no secret: the publishable key is public, and the address of the
 * database, which contains a password, is left out.
 */
export function describeRuntime(
  config: RuntimeSettings,
  { anonKey, serviceRoleKey }: Pick<Keys, 'anonKey' | 'serviceRoleKey'>,
  { pid, port }: { readonly pid: number; readonly port: number },
): Readonly<Record<string, string | number>> {
  const runtime = { pid, apiUrl: config.siteUrl.replace(/:0$/, `:${port}`), anonKey };
  if (config.production) return runtime;
  return {
    ...runtime,
    sandboxUrl: config.sandboxUrl ?? '',
    databaseUrl: config.databaseUrl ?? `pglite://${resolve(config.dataDir, 'database')}`,
    serviceRoleKey,
  };
}

const getPath = (dataDir: string): string => join(dataDir, 'runtime.json');

/** Writes the runtime file when the server is ready. Only its owner may read it. */
export async function writeRuntime(dataDir: string, runtime: ReturnType<typeof describeRuntime>): Promise<void> {
  const path = getPath(dataDir);
  await writeFile(`${path}.${process.pid}`, `${JSON.stringify(runtime, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.${process.pid}`, path);
}

/** Removes the runtime file of the server with this process id when it stops; the file of another server on the same folder stays. */
export async function removeRuntime(dataDir: string, pid: number): Promise<void> {
  const text = await readFile(getPath(dataDir), 'utf8').catch(() => '{}');
  // Cast: only this program writes the file.
  const written = JSON.parse(text) as { readonly pid?: number };
  if (written.pid === pid) await rm(getPath(dataDir), { force: true });
}
