import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs a pgbench script with prepared statements over `connections` connections; returns transactions per second. */
export async function pgbench(
  databaseUrl: string,
  script: string,
  options: { connections: number; seconds: number },
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'pgbench-'));
  const file = join(folder, 'script.sql');
  await writeFile(file, script);
  const { stdout, stderr } = spawnSync(
    join(process.env['TEST_POSTGRES_BIN'] ?? '', 'pgbench'),
    [
      '-n',
      '-M',
      'prepared',
      '-c',
      String(options.connections),
      '-j',
      '2',
      '-T',
      String(options.seconds),
      '-f',
      file,
      databaseUrl,
    ],
    { encoding: 'utf8' },
  );
  await rm(folder, { recursive: true });
  const found = /tps = ([\d.]+)/.exec(stdout);
  if (!found) throw new Error(`pgbench failed: ${stderr}`);
  return Number(found[1]);
}
