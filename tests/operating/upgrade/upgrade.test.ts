import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPglite } from '#server/db/engine/pglite.ts';
import { MigrationRefused } from '#server/db/schema/upgrade-plan.ts';
import { moneyFaults } from '#server/start/backup/money-audit.ts';
import { runRestoreFile } from '#server/start/backup/run.ts';
import { describeCatalogue } from '#tests/support/schema.ts';
import { engines, onlyPostgres } from '#tests/support/engines.ts';
import { checkedOutSchema } from '#tests/support/image.ts';
import { ALEX, callAs, COLLEAGUE, KIM, OWNER, PASSPHRASE, showFactor } from './contents.ts';
import { openAsOwner, readRows, readRowsAgain, type Rows, type TableRows } from './rows.ts';
import { toConfig, openStateServer, type StateServer } from './state-server.ts';
import { createPlace, type EngineName, isEngine, type State, unpackState } from './unpack.ts';

/** The views, triggers and policies whose text differs from that release. */
const CHANGED: Readonly<Record<string, readonly string[]>> = {
  '0.1.0': ['policy "staff read the audit log" on public.audit_logs'],
  '0.2.0': [],
};

const quiet = (): void => undefined;
const TABLES_THAT_DIFFER: Readonly<Record<string, string>> = {
  'private.migrations': 'the baseline is added to the chain that 0.1.0 ran',
  'private.code_object': 'what this version loads again is recorded with its release',
};
const LEFT_OUT_OF_BACKUPS: Readonly<Record<string, string>> = {
  'private.migrations': 'the new database ran the baseline instead of the chain',
  'private.code_object': 'the new database recorded what this version loaded',
  realtime: 'messages and changes are kept for clients that connect again to the same database',
  'private.settings': 'every database has a password of its own for its logins',
};

const readCatalogue = async (rows: Rows): Promise<readonly string[]> => {
  const lines = (await describeCatalogue(rows)).split('\n');
  // Other tests create and drop logins of their databases at the same time.
  return lines.filter((line) => !/^(backend|authenticator|guest)_test_\w+ /.test(line));
};
const without = (rows: Readonly<Record<string, TableRows>>, names: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(rows).filter(([name]) => !(name in names) && !((name.split('.')[0] ?? '') in names)),
  );

const freshCatalogues = new Map<EngineName, Promise<readonly string[]>>();

/** Returns the catalogue of a new database, which is migrated once per engine. */
function readFreshCatalogue(engine: EngineName): Promise<readonly string[]> {
  const fresh = freshCatalogues.get(engine) ?? migrateAndRead(engine);
  freshCatalogues.set(engine, fresh);
  return fresh;
}

async function migrateAndRead(engine: EngineName): Promise<readonly string[]> {
  const place = await createPlace(engine);
  try {
    return await openAsOwner(place, readCatalogue);
  } finally {
    await place.remove();
  }
}

/**
 * The state on PostgreSQL is a dump, whose restore writes `(a and b) and c` as `a and b and c`. The embedded state is the database itself.
 */
const asRestored = (lines: readonly string[]): readonly string[] => lines.map((line) => line.replaceAll(/[()]/g, ''));

/** `0.1.0-embedded.tar.zst` is the state of version 0.1.0 on the embedded engine. */
const files = readdirSync(import.meta.dirname);
const states = files.flatMap((file) => {
  const [, version = '', engine = ''] = /^([\d.]+)-(\w+)\.tar\.zst$/.exec(file) ?? [];
  return isEngine(engine) && engines.some(({ name }) => name === engine) ? [{ version, engine }] : [];
});

test('every earlier release has a state for each engine', async () => {
  const { releases, version } = await checkedOutSchema();
  const earlier = releases.filter((release) => release.version !== version).map((release) => release.version);
  for (const name of ['0.1.0', ...earlier])
    expect(files).toEqual(expect.arrayContaining([`${name}-embedded.tar.zst`, `${name}-PostgreSQL.tar.zst`]));
});

describe.each(states)('a database of $version on $engine', ({ version, engine }) => {
  let state: State;
  let upgraded: { loaded: readonly string[]; catalogue: readonly string[]; rows: Readonly<Record<string, TableRows>> };
  let server: StateServer;
  beforeAll(async () => {
    state = await unpackState(version, engine);
    upgraded = await openAsOwner(state, async (rows) => ({
      loaded: (await rows('select name, release from private.code_object'))
        .filter(({ release }) => release !== version)
        .map(({ name }) => String(name)),
      catalogue: await readCatalogue(rows),
      rows: await readRowsAgain(rows, state.facts.rows),
    }));
    server = await openStateServer(state, new Date(Date.parse(state.facts.madeAt) + 60_000));
  }, 180_000);
  afterAll(async () => {
    await server.close();
    await state.remove();
  });
  /** The token of the owner's session with the second factor. It is shared, because each code is accepted only once. */
  let proven: Promise<string> | null = null;
  const proveOwner = (): Promise<string> => (proven ??= signInTwice());
  const signInTwice = async (): Promise<string> => {
    const token = await server.signIn(OWNER.email, OWNER.password);
    const { factors } = await server.ask('/auth/v1/user', { token });
    const [factor] = factors as readonly { id: string }[];
    return showFactor(server, token, { id: factor?.id ?? '', totpSecret: state.facts.totpSecret });
  };

  test('has the catalogue of a new database', async () => {
    const fresh = await readFreshCatalogue(engine);
    if (engine === 'embedded') expect(upgraded.catalogue).toEqual(fresh);
    else expect(asRestored(upgraded.catalogue)).toEqual(asRestored(fresh));
  }, 120_000);

  test('loads the views, triggers and policies again whose text has changed since, and no others', () => {
    expect(upgraded.loaded.filter((name) => !name.startsWith('function '))).toEqual(CHANGED[version]);
  });

  test('has every row as it was', () => {
    const { rows } = state.facts;
    expect(without(upgraded.rows, TABLES_THAT_DIFFER)).toEqual(without(rows, TABLES_THAT_DIFFER));
    for (const table of [
      'private.booking',
      'private.payment',
      'private.access_secret',
      'storage.objects',
      'audit_logs',
    ])
      expect(rows[table]?.count, table).toBeGreaterThan(0);
    expect(upgraded.rows['private.migrations']?.count).toBeGreaterThanOrEqual(rows['private.migrations']?.count ?? 0);
  });

  test('has money that adds up, by itself and with the ledger of the payment provider', async () => {
    expect(await moneyFaults(server.app.db)).toEqual([]);
    const month = new Date(state.facts.madeAt)
      .toLocaleDateString('en-CA', { timeZone: 'Australia/Sydney' })
      .slice(0, 7);
    await callAs(server, OWNER, 'staff-reconcile', { month });
    await server.settle();
    const token = await proveOwner();
    const checked = await server.ask('/rest/v1/rpc/ledger_check', { token, body: { month: `${month}-01` } });
    expect(checked).toMatchObject({ problem: null, differenceCount: 0 });
    const payments = expect.objectContaining({ kind: 'payment', here: expect.objectContaining({ count: 5 }) });
    expect(checked['sums']).toContainEqual(payments);
  });

  test('lets its people sign in with their passwords, and the owner with the second factor', async () => {
    const guess = { email: ALEX.email, password: KIM.password };
    await expect(server.ask('/auth/v1/token?grant_type=password', { body: guess })).rejects.toThrow(
      'invalid_credentials',
    );
    for (const { email, password } of [ALEX, KIM, COLLEAGUE])
      expect(await server.signIn(email, password)).toMatch(/^ey/);
    const claims = Buffer.from((await proveOwner()).split('.')[1] ?? '', 'base64url').toString();
    expect(JSON.parse(claims)).toMatchObject({ aal: 'aal2' });
  });

  test('shows the code of a booking to its customer alone', async () => {
    const next = { bookingId: state.facts.bookings.next };
    expect(await callAs(server, ALEX, 'generate-access-code', next)).toMatchObject({ pinCode: state.facts.pin });
    await expect(callAs(server, KIM, 'generate-access-code', next)).rejects.toThrow('answers 404');
  });

  test('keeps the hours of a paid booking, and releases those of a hold', async () => {
    const { paid, held } = state.facts.bookings;
    const hours = await server.app.db.queryRow(
      `select studio_id as "studioId", start_time as "startTime", end_time as "endTime" from private.booking where id = $1::uuid`,
      [paid],
    );
    const request = callAs(server, KIM, 'create-payment', { metadata: { ...hours, termsAccepted: true } });
    await expect(request).rejects.toThrow('answers 409');
    // The sandbox's payment provider always uses real time, so it may have ended the hold already.
    expect(await callAs(server, KIM, 'release-hold', { bookingId: held })).toMatchObject({ status: 'cancelled' });
  });

  test('refunds a paid booking at the payment provider', async () => {
    const bookingId = state.facts.bookings.paid;
    const refund = { bookingId, cents: 1_000, reason: 'A broken fader', requestId: 'after the upgrade' };
    await expect(callAs(server, COLLEAGUE, 'staff-refund', refund)).rejects.toThrow('answers 403');
    await callAs(server, OWNER, 'staff-refund', refund);
    await server.settle();
    expect(await server.sandbox('/api/refunds')).toContainEqual(
      expect.objectContaining({ amount: 1_000, status: 'succeeded' }),
    );
    const { rows } = await server.app.db.query(
      `select r.amount_cents, r.status from private.refund r join private.payment p on p.id = r.payment_id where p.booking_id = $1::uuid`,
      [bookingId],
    );
    expect(rows).toEqual([{ amount_cents: 1_000, status: 'succeeded' }]);
    expect(await moneyFaults(server.app.db)).toEqual([]);
  });

  test('exports the bookings of a customer, and serves the uploaded files', async () => {
    const { bookings, reportPhoto, roomPhoto, verification } = state.facts;
    const exported = JSON.stringify(await callAs(server, ALEX, 'export-my-data', {}));
    const { rows } = await server.app.db.query<{ reference: string; mine: boolean }>(
      'select reference, id <> all($2::uuid[]) as mine from private.booking where id = any($1::uuid[])',
      [Object.values(bookings), [bookings.held, bookings.moved]],
    );
    expect(rows).toHaveLength(Object.keys(bookings).length);
    for (const { reference, mine } of rows) expect(exported.includes(reference), reference).toBe(mine);
    const colleague = { token: await server.signIn(COLLEAGUE.email, COLLEAGUE.password) };
    const owner = { token: await server.signIn(OWNER.email, OWNER.password) };
    const files = [
      server.send(`/storage/v1/object/authenticated/incidents/${reportPhoto}`, colleague),
      server.send(`/storage/v1/object/public/rooms/${roomPhoto}`),
      server.send('/functions/v1/staff-id-picture', { ...owner, body: { verificationId: verification } }),
    ];
    for (const file of await Promise.all(files)) {
      expect(file.status).toBe(200);
      expect(
        Buffer.from(await file.arrayBuffer())
          .subarray(0, 2)
          .toString('hex'),
      ).toBe('ffd8');
    }
  });

  test('is restored from a backup of that version, with every row', async () => {
    const place = await createPlace(engine);
    const lines: string[] = [];
    const config = toConfig(place, { BACKUP_PASSPHRASE: PASSPHRASE });
    expect(await runRestoreFile(config, state.backup, (line) => lines.push(line))).toBe(0);
    expect(lines.at(-1)).toMatch(/^restored \d+ rows of \d+ tables and 3 files/);
    const restored = await openAsOwner(place, async (rows) => ({
      catalogue: await readCatalogue(rows),
      rows: await readRowsAgain(rows, without(state.facts.rows, LEFT_OUT_OF_BACKUPS)),
    }));
    await place.remove();
    expect(restored.catalogue).toEqual(await readFreshCatalogue(engine));
    expect(restored.rows).toEqual(without(state.facts.rows, LEFT_OUT_OF_BACKUPS));
  }, 120_000);
});

test.skipIf(onlyPostgres)(
  'a database whose chain is unfinished is refused and not changed',
  async () => {
    const state = await unpackState('0.1.0', 'embedded');
    try {
      const folder = join(state.dataDir, 'database');
      const openAsItIs = async <T>(work: (rows: Rows) => Promise<T>): Promise<T> => {
        const db = await createPglite(folder, { warn: quiet });
        const result = await work(async (text) => (await db.query<Record<string, unknown>>(text)).rows);
        await db.close();
        return result;
      };
      const readAll = async (rows: Rows) => ({ catalogue: await readCatalogue(rows), rows: await readRows(rows) });
      const before = await openAsItIs(async (rows) => {
        await rows('delete from private.migrations where name = (select max(name) from private.migrations)');
        return readAll(rows);
      });
      const refused = await openAsOwner(state, readRows).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(MigrationRefused);
      expect(String(refused)).toMatch(
        /older than version 0\.1\.0 \(migration 0143_\w+ is missing or differs\); start commit [\da-f]{40} once, then this version$/,
      );
      expect(await openAsItIs(readAll)).toEqual(before);
    } finally {
      await state.remove();
    }
  },
  120_000,
);
