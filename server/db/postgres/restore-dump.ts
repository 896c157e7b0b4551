import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { toAddress } from './address.ts';
import { connectPatiently, type Waiting } from './connect.ts';
import type { Schema } from '../schema/schema.ts';
import { makeGroups, readRights, getViewOwners } from './roles.ts';

/**
 * Restores the plain text of `pg_dump` into the empty database at `url`: creates the roles that it names, makes the login of `url` the
 * owner of all objects and runs the text with `psql` in one transaction. Throws with psql's message, and `DatabaseRefused` if roles are
 * missing.
 */
export async function restoreDump(
  url: string,
  file: string,
  { schema, ...waiting }: Waiting & { readonly schema: Schema },
): Promise<void> {
  const owners = getViewOwners(schema);
  const address = toAddress(url);
  const admin = await connectPatiently(address, waiting);
  try {
    const { rows } = await admin.query(
      `select from pg_class c where c.relkind = 'r' and c.relnamespace::regnamespace::text in ('public', 'auth', 'private', 'storage') limit 1`,
    );
    if (rows.length > 0) throw new Error('the database in DATABASE_URL is not empty; restore into a new one');
    await makeGroups(admin, await readRights(admin), owners);
    // The dump creates this schema itself. Here it can only be one without tables, which were ruled out above.
    await admin.query('drop schema if exists private');
  } finally {
    await admin.end();
  }
  const psql = spawn('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', address.url], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let errors = '';
  psql.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = Promise.race([
    once(psql, 'close').then(([code]) => code === 0),
    once(psql, 'error').then(([cause]) => {
      throw new Error('psql is needed to restore a dump; install the client programs of PostgreSQL', { cause });
    }),
  ]);
  // If psql ends early, its own message gives the reason.
  const readAll = pipeline(rewriteDump(file, owners), psql.stdin).then(
    () => null,
    (error: unknown) => error,
  );
  const [succeeded, unreadable] = await Promise.all([ended, readAll]);
  if (!succeeded) throw new Error(`the dump could not be restored: ${errors.trim().split('\n')[0] ?? ''}`);
  if (unreadable !== null) throw unreadable;
}

/**
 * Yields the lines of a dump in the form that the new owner can run in one transaction. The last line commits; a dump that cannot be read
 * to its end lacks it, so that nothing is committed.
 */
async function* rewriteDump(file: string, viewOwners: readonly string[]): AsyncGenerator<string> {
  const rewrite = createRewriter(viewOwners);
  yield 'BEGIN;\n';
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const rewritten = rewrite(line);
    if (rewritten !== null) yield `${rewritten}\n`;
  }
  if (viewOwners.length > 0) yield `REVOKE CREATE ON SCHEMA public, private FROM ${viewOwners.join(', ')};\n`;
  yield 'COMMIT;\n';
}

/** Returns a function that rewrites the lines of a dump for another owner: null leaves a line out. The rows of `copy` stay unchanged. */
function createRewriter(viewOwners: readonly string[]): (line: string) => string | null {
  let copying = false;
  return (line) => {
    if (copying) {
      copying = line !== '\\.';
      return line;
    }
    copying = /^COPY .* FROM stdin;$/.test(line);
    const owner = /^ALTER .* OWNER TO (\S+);$/.exec(line)?.[1];
    if (owner !== undefined && !viewOwners.includes(owner)) return null;
    // Only the owner of an extension, an administrator, may comment on it.
    if (line.startsWith('COMMENT ON EXTENSION ')) return null;
    if (line === 'CREATE SCHEMA private;' && viewOwners.length > 0)
      return `${line}\nGRANT CREATE ON SCHEMA public, private TO ${viewOwners.join(', ')};`;
    return line.replace(/^ALTER DEFAULT PRIVILEGES FOR ROLE \S+ /, 'ALTER DEFAULT PRIVILEGES ');
  };
}
