import { join } from 'node:path';
import pg from 'pg';
import Stripe from 'stripe';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readConfig } from '#server/config.ts';
import { readSchema } from '#server/db/schema/schema.ts';
import { DATABASE } from '#server/start/open-database.ts';
import { clockFinding } from '#server/start/doctor/clock.ts';
import { compareMigrations } from '#server/start/doctor/database.ts';
import { roomFinding } from '#server/start/doctor/files.ts';
import { createRedaction, type Finding } from '#server/start/doctor/finding.ts';
import { senderFindings } from '#server/start/doctor/mail.ts';
import { examine, runDoctor } from '#server/start/doctor/run.ts';
import { certificateFinding } from '#server/start/doctor/site.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import { startTestServer, type TestServer } from '#tests/support/test-server.ts';

/** The sandbox, with settings like those for real providers, so that every check runs as in production. */
let server: TestServer;
let settings: Record<string, string>;
const SECRETS = ['sk_test_sandbox', 'rk_test_sandbox', 'sandbox-secret', 'mail-password-1', 'sandbox-vision'];

beforeAll(async () => {
  server = await startTestServer();
  const port = Number(new URL(server.sandboxUrl).port);
  const at = (offset: number): string => `127.0.0.1:${port + offset}`;
  settings = {
    SANDBOX: 'off',
    SITE_URL: server.url,
    DATA_DIR: server.dataDir,
    ADMIN_EMAILS: 'owner@example.com',
    STRIPE_SECRET_KEY: 'sk_test_sandbox',
    STRIPE_RESTRICTED_KEY: 'rk_test_sandbox',
    STRIPE_WEBHOOK_SECRET: 'whsec_sandbox',
    STRIPE_API_URL: `http://${at(1)}`,
    IGLOOHOME_CLIENT_ID: 'sandbox-client',
    IGLOOHOME_CLIENT_SECRET: 'sandbox-secret',
    IGLOOHOME_AUTH_URL: `http://${at(2)}/oauth2/token`,
    IGLOOHOME_API_URL: `http://${at(2)}/igloohome`,
    IGLOOHOME_BRIDGE_ID: 'EB1X00001',
    IGLOOHOME_LOCKS: 'Studio A=SPA1X0001',
    SHELLY_URL: `http://${at(3)}/green-room/rpc`,
    SMTP_URL: `smtp://mailer:mail-password-1@${at(5)}`,
    ID_READER: 'openai',
    VISION_BASE_URL: `http://${at(4)}/v1`,
    VISION_API_KEY: 'sandbox-vision',
    VISION_MODEL: 'specimen-reader',
  };
}, 60_000);
afterAll(() => server.close());
beforeEach(() => fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' }));

/** Returns the findings about these settings as `state area: text`. Findings that are the same in every test are omitted. */
async function wrongWith(more: Record<string, string> = {}): Promise<string[]> {
  const found = await examine(readConfig({ ...settings, ...more }));
  const usual = ['settings', 'backup'];
  return found
    .filter(({ state, area }) => state !== 'ok' && !usual.includes(area))
    .map(({ state, area, text }) => `${state} ${area}: ${text}`);
}

const createEndpoint = (events: string[]): Promise<unknown> => {
  const { hostname, port } = new URL(settings['STRIPE_API_URL'] ?? '');
  const stripe = new Stripe('sk_test_sandbox', { host: hostname, port, protocol: 'http' });
  const enabled = events as Stripe.WebhookEndpointCreateParams.EnabledEvent[];
  return stripe.webhookEndpoints.create({ url: `${server.url}/functions/v1/stripe-webhook`, enabled_events: enabled });
};

test('a webhook that is not registered, or not for every event, is named; with it everything is well', async () => {
  expect(await wrongWith()).toEqual([`fail webhook: no endpoint for ${server.url}/functions/v1/stripe-webhook`]);
  await createEndpoint(['checkout.session.completed']);
  expect((await wrongWith())[0]).toMatch(/^fail webhook: the endpoint does not send .*charge\.dispute\.created/);
  await createEndpoint(['*']);
  expect(await wrongWith()).toEqual([]);
}, 60_000);

test('wrong keys, names and addresses are named without printing a secret', async () => {
  const wrong = await wrongWith({
    STRIPE_SECRET_KEY: 'sk_test_wrong-key-0001',
    STRIPE_RESTRICTED_KEY: 'rk_test_wrong-key-0002',
    IGLOOHOME_LOCKS: 'Studio A=SPZZZZ',
    IGLOOHOME_BRIDGE_ID: 'EBZZZZ',
    VISION_MODEL: 'another',
    SHELLY_URL: 'http://127.0.0.1:1/rpc',
    SMTP_URL: 'smtp://mailer:mail-password-1@127.0.0.1:1',
    SITE_URL: 'http://127.0.0.1:1',
  });
  expect(wrong.map((line) => line.split(': ')[0])).toEqual([
    'fail payments',
    'fail id checks',
    'fail id checks',
    'fail locks',
    'fail locks',
    'fail plugs',
    'fail mail',
    'fail site',
  ]);
  expect(wrong.join('\n')).toContain('Studio A (SPZZZZ)');
  expect(wrong.join('\n')).toContain('ECONNREFUSED');
  for (const secret of [...SECRETS, 'wrong-key']) expect(wrong.join('\n')).not.toContain(secret);
}, 60_000);

test('providers that refuse, hang up or send nonsense are named, and the rest is still examined', async () => {
  for (const [provider, kind] of [
    ['igloohome', 'refuse'],
    ['plug', 'garbage'],
    ['mail', 'refuse'],
    ['vision', 'status'],
  ])
    await server.sandbox('/api/faults', { provider, kind, seconds: 30 });
  expect((await wrongWith()).map((line) => line.split(': ')[0])).toEqual([
    'fail id checks',
    'fail locks',
    'fail plugs',
    'fail mail',
  ]);
  await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
  await server.sandbox('/api/faults', { provider: 'igloohome', kind: 'offline', seconds: 30 });
  expect(await wrongWith()).toEqual(['fail locks: Studio A (SPA1X0001) does not answer']);
}, 60_000);

test('it prints one line and what to do for each finding, or JSON, and ends with 1 when something fails', async () => {
  const run = async (env: Record<string, string>, ...args: string[]): Promise<[number, string[]]> => {
    const lines: string[] = [];
    const code = await runDoctor(
      () => readConfig(env),
      args,
      (line) => lines.push(...line.split('\n')),
    );
    return [code, lines];
  };
  const [code, lines] = await run({
    ...settings,
    BACKUP_DIR: join(import.meta.filename, 'backups'),
    BACKUP_PASSPHRASE: 'twelve letters',
  });
  expect(code).toBe(1);
  expect(lines).toContainEqual(expect.stringMatching(/^fail {2}files {6}.*backups cannot be written \(ENOTDIR/));
  expect(lines).toContain(
    'ok    database   the embedded database in DATA_DIR; use PostgreSQL (DATABASE_URL) for live card payments',
  );
  const [refused, json] = await run({ ...settings, HOLD_MINUTES: 'soon' }, '--json');
  expect(refused).toBe(1);
  expect(JSON.parse(json.join(''))).toMatchObject({
    ok: false,
    findings: [{ area: 'settings', state: 'fail', text: expect.stringContaining('HOLD_MINUTES') }],
  });
  expect((await run(settings))[0]).toBe(0);
}, 60_000);

test.skipIf(!process.env['TEST_POSTGRES_URL'])(
  'on PostgreSQL it tells of a refused login, of rights, connections and migrations, and changes nothing',
  async () => {
    const database = await createMigratedDatabase();
    const url = database!.url;
    const about = async (databaseUrl: string, poolSize = '2'): Promise<Finding[]> =>
      (await examine(readConfig({ ...settings, DATABASE_URL: databaseUrl, POOL_SIZE: poolSize }))).filter(
        ({ area }) => area === 'database' || area === 'clock',
      );
    const well = await about(url);
    expect(well.filter(({ state }) => state === 'fail')).toEqual([]);
    expect(well.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^all \d+ migrations have run$/));
    expect(well.map(({ text }) => text)).toContainEqual(expect.stringMatching(/apart from the database$/));
    const tight = await about(url, '200');
    expect(tight.map(({ text }) => text)).toContainEqual(expect.stringContaining('each server may take 404'));

    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const guest = `guest_${new URL(url).pathname.slice(1)}`;
    await admin.query(`create role "${guest}" login password 'a'`);
    await admin.query(`grant connect on database "${new URL(url).pathname.slice(1)}" to "${guest}"`);
    const guests = await about(url.replace(/\/\/[^@]*@/, `//${guest}:a@`));
    expect(guests.map(({ state, text }) => `${state} ${text}`)).toContainEqual(
      expect.stringMatching(/^fail the login guest_\w+ does not own the database/),
    );
    await admin.query(`drop owned by "${guest}"`);
    await admin.query(`drop role "${guest}"`);
    await admin.end();
    expect(await about(url.replace(/\/[^/]*$/, '/none'))).toMatchObject([
      { state: 'fail', text: 'DATABASE_URL: the database none does not exist; create it with: createdb none' },
      { area: 'clock' },
    ]);
    await database!.drop();
  },
  60_000,
);

test('missing migrations are announced, a changed or unknown one fails, and those of a newer version do neither', async () => {
  const schema = await readSchema(DATABASE);
  const { migrations: ours } = schema;
  const compare = (ran: readonly { name: string; checksum: string }[]): Finding =>
    compareMigrations(schema, new Map(ran.map(({ name, checksum }) => [name, checksum])));
  const with9 = (name: string) => compare([...ours, { name, checksum: '' }]);
  expect(compare(ours)).toMatchObject({ state: 'ok' });
  expect(compare(ours.slice(1))).toMatchObject({ state: 'warn', text: expect.stringMatching(/^1 of/) });
  expect(with9('9999_of_a_newer_version')).toMatchObject({ state: 'ok' });
  expect(with9('0199_of_another_version')).toMatchObject({ state: 'fail', advice: expect.stringContaining('0199') });
  const changed = [...ours.slice(1), { name: String(ours[0]?.name), checksum: 'earlier' }];
  expect(compare(changed)).toMatchObject({ state: 'fail', advice: expect.stringContaining('0200') });
});

test('clocks, disks, certificates and the records of the sender are judged by their distance from trouble', async () => {
  const states = (...found: Finding[]): string[] => found.map(({ state }) => state);
  expect(states(...[0, 3_000, 40_000].map((off) => clockFinding('it', 1_000_000, 1_000_000 + off)))).toEqual([
    'ok',
    'warn',
    'fail',
  ]);
  expect(states(...[3_000, 1_000, 100].map((mb) => roomFinding('/', { bavail: mb, bsize: 1024 * 1024 })))).toEqual([
    'ok',
    'warn',
    'fail',
  ]);
  const now = new Date('2026-06-01');
  const until = (day: string): Finding => certificateFinding('example.com', new Date(day), now);
  expect(states(until('2026-08-01'), until('2026-06-05'))).toEqual(['ok', 'warn']);
  const records = new Map([['example.com', [['v=spf1 ', 'include:mail.example -all']]]]);
  const resolve = (name: string): Promise<string[][]> => Promise.resolve(records.get(name) ?? []);
  expect(states(...(await senderFindings('Us <us@example.com>', resolve)))).toEqual(['warn']);
  records.set('_dmarc.example.com', [['v=DMARC1; p=none']]);
  expect(states(...(await senderFindings('us@example.com', resolve)))).toEqual(['ok']);
});

test('passwords inside addresses are secrets too', () => {
  const redact = createRedaction({ DATABASE_URL: 'postgres://a:p%40ss-word@db/x', SMTP_URL: 'smtp://u:mail-pass@h' });
  expect(redact('p@ss-word p%40ss-word mail-pass postgres://a:p%40ss-word@db/x')).toBe('… … … …');
});
