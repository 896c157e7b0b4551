import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Clients = { readonly connections: number; readonly seconds: number };

/** Runs a pgbench script with prepared statements over `connections` connections. Returns transactions per second. */
export function pgbench(databaseUrl: string, script: string, clients: Clients): Promise<number> {
  return run(databaseUrl, [script], [], clients);
}

/**
 * Measures the limit of the database: becomes the caller and runs `text` with its `$n`, prepared and pipelined, as one transaction in one
 * round trip. All lists of `values` are equally likely.
 */
export function pgbenchAs(
  databaseUrl: string,
  caller: { readonly role: string; readonly claims: string; readonly planMode: string },
  statement: { readonly text: string; readonly values: readonly (readonly string[])[] },
  clients: Clients,
): Promise<number> {
  const variables = [`claims=${caller.claims}`, `plan=${caller.planMode}`, `role=${caller.role}`];
  const scripts = statement.values.map((values, line) => {
    values.forEach((value, index) => variables.push(`v${line}_${index + 1}=${value}`));
    const text = statement.text.replaceAll(/\$(\d+)/g, `:v${line}_$1`);
    return [
      '\\startpipeline',
      `select set_config('request.jwt.claims', :claims, true), set_config('plan_cache_mode', :plan, true), set_config('role', :role, true);`,
      `${text};`,
      '\\endpipeline',
      '',
    ].join('\n');
  });
  return run(databaseUrl, scripts, variables, clients);
}

async function run(
  databaseUrl: string,
  scripts: readonly string[],
  variables: readonly string[],
  { connections, seconds }: Clients,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'pgbench-'));
  const files = await Promise.all(
    scripts.map(async (script, index) => {
      const file = join(folder, `${index}.sql`);
      await writeFile(file, script);
      return ['-f', file];
    }),
  );
  const { stdout, stderr } = spawnSync(
    join(process.env['TEST_POSTGRES_BIN'] ?? '', 'pgbench'),
    [
      ...`-n -M prepared -j 2 -c ${connections} -T ${seconds}`.split(' '),
      ...variables.flatMap((variable) => ['-D', variable]),
      ...files.flat(),
      databaseUrl,
    ],
    { encoding: 'utf8' },
  );
  await rm(folder, { recursive: true });
  const found = /tps = ([\d.]+)/.exec(stdout);
  if (!found || /aborted/.test(stderr)) throw new Error(`pgbench failed: ${stderr}`);
  return Number(found[1]);
}
