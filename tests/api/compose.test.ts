import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { migratedFolder } from '#tests/support/image.ts';

let environment: { DATA_DIR: string; LOG_LEVEL: string };

beforeEach(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'compose-'));
  await migratedFolder(join(dataDir, 'database'));
  environment = { DATA_DIR: dataDir, LOG_LEVEL: 'silent' };
});
afterEach(() => rm(environment.DATA_DIR, { recursive: true, force: true }));

test('a start that fails after the database was opened closes it, so that the next start can open the folder', async () => {
  const missing = join(environment.DATA_DIR, 'missing.txt');
  await expect(compose(readConfig({ ...environment, AUTH_BREACHED_FILE: missing }))).rejects.toThrow('missing.txt');
  const app = await compose(readConfig(environment));
  expect((await app.http.request('/readyz')).status).toBe(200);
  await app.close();
}, 120_000);

test('a start on the embedded database ends the claims on jobs and events that the process before left, and no wait after a failure', async () => {
  const before = await compose(readConfig(environment));
  await before.db.query(
    `insert into private.outbox (kind, subject_id, due_at, lease_until, lease_id)
     values ('mail.booking-confirmed', gen_random_uuid(), now(), now() + interval '30 s', gen_random_uuid())`,
  );
  await before.db.query(
    `insert into private.webhook_inbox (provider, event_id, type, object_id, received_at, next_try_at, last_error)
     select 'stripe', id, 'charge.refunded', 'ch_1', now(), now() + interval '1 minute', error from (values ('claimed', null), ('failed', 'no answer')) as given (id, error)`,
  );
  await before.close();
  const app = await compose(readConfig(environment));
  const { rows } = await app.db.query(
    `select kind as name, lease_until < now() as due from private.outbox
     union all select event_id, next_try_at < now() from private.webhook_inbox order by name`,
  );
  expect(rows).toEqual([
    { name: 'claimed', due: true },
    { name: 'failed', due: false },
    { name: 'mail.booking-confirmed', due: true },
  ]);
  await app.close();
}, 120_000);
