import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { readMigrations } from '#server/db/migrate.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import { openPostgres } from '#server/db/open-postgres.ts';
import { createTestDatabase } from '#tests/support/postgres.ts';
import { runRound } from './worker.ts';

const MIGRATIONS = new URL('../../database/migrations/', import.meta.url).pathname;
const options = { report: () => undefined, warn: () => undefined };

test('a migration reactivates jobs that were parked after twelve failures', async () => {
  const migrations = await readMigrations(MIGRATIONS);
  const older = migrations.filter((one) => one.name < '0063');
  expect(older.length).toBeLessThan(migrations.length);
  const own = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'queue-'));
  const open = (some: typeof migrations): Promise<Database> =>
    own
      ? openPostgres(own.url, { ...options, migrations: some, poolSize: 2 })
      : openEmbedded(folder, { ...options, migrations: some });
  const before = await open(older);
  await before.query(
    `insert into private.outbox (kind, subject_id, due_at, tries, parked_at, lease_until, last_error) values
       ('payment.refund', '5a000000-0000-4000-8000-0000000000e1', '2026-05-01T12:00:00Z', 12, '2026-05-01T11:00:00Z', '-infinity', 'down'),
       ('mail.other', '5a000000-0000-4000-8000-0000000000e2', '2026-05-01T12:00:00Z', 12, '2026-05-01T11:00:00Z', '2026-05-01T11:00:30Z', 'down')`,
  );
  await before.close();
  const after = await open(migrations);
  const ran: string[] = [];
  await runRound({
    name: 'test',
    db: after,
    clock: () => new Date('2026-05-01T11:00:10Z'),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    kinds: Object.fromEntries(
      ['payment.refund', 'mail.other'].map((kind) => [
        kind,
        {
          worker: 'test',
          handle: (job: { kind: string; tries: number }) => {
            ran.push(`${job.kind} ${job.tries}`);
            return Promise.resolve('done' as const);
          },
        },
      ]),
    ),
    atOnce: 4,
    running: new Map(),
  });
  expect(ran.toSorted()).toEqual(['mail.other 13', 'payment.refund 13']);
  await after.close();
  await own?.drop();
  await rm(folder, { recursive: true, force: true });
}, 120_000);
