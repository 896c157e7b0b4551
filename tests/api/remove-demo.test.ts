import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, oneEngine } from '#tests/support/engines.ts';
import { emptyConfig } from '#tests/support/program.ts';
import { migratedFolder } from '#tests/support/image.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import { PROGRAM_ENV, startServer } from '#tests/support/server-process.ts';
import { checkout, freePorts, readPayment, span, type TestServer } from '#tests/support/test-server.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const DEMO = { email: 'customer@example.com', password: 'demo-customer-1' };
/** Complete settings for production; only the database has demo accounts. */
const PRODUCTION = {
  NODE_ENV: 'production',
  SITE_URL: 'https://studio.example.net',
  STRIPE_SECRET_KEY: 'sk_test_51Abc',
  STRIPE_WEBHOOK_SECRET: 'whsec_abc',
  IGLOOHOME_CLIENT_ID: 'client',
  IGLOOHOME_CLIENT_SECRET: 'secret',
  IGLOOHOME_WEBHOOK_KEY: 'https://keys.example.net/webhook',
  IGLOOHOME_LOCKS: 'Studio A=L1,Studio B=L2,Studio C=L3',
  SHELLY_URL: 'http://10.0.0.7/rpc',
  SMTP_URL: 'smtp://mail.example.net',
  MAIL_FROM: 'Studio <hello@studio.test>',
};

/** Runs one of our programs until it exits. */
function runToEnd(file: string, env: Record<string, string>): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, file)], {
    env: { ...PROGRAM_ENV, ...emptyConfig(), LOG_LEVEL: 'error', ...env },
    encoding: 'utf8',
    timeout: 90_000,
  });
  return { status, output: stdout + stderr };
}

/**
 * Six programs start for each engine, which takes 20 s on the embedded one. Their refusals and output do not depend on the engine, and the
 * tests below run the SQL on both. With TEST_LONG, all engines run.
 */
test.each(process.env['TEST_LONG'] ? engines : oneEngine)(
  'on $name a production start on a sandbox database ends with 78 and names the accounts and the command, which removes them',
  { timeout: 300_000 },
  async ({ name }) => {
    const [dataDir, ports] = [await mkdtemp(join(tmpdir(), 'demo-')), await freePorts()];
    const database = name === 'PostgreSQL' ? await createMigratedDatabase() : null;
    if (database === null) await migratedFolder(join(dataDir, 'database'));
    const shared = { DATA_DIR: dataDir, PORT: String(ports + 9), ...(database ? { DATABASE_URL: database.url } : {}) };
    const production = { ...shared, ...PRODUCTION };
    try {
      await (await startServer({ ...shared, SANDBOX_PORT: String(ports) })).kill('SIGTERM');

      const refused = runToEnd('server/main.ts', production);
      expect(refused.output).toContain('admin@example.com and customer@example.com');
      expect(refused.output).toContain('npm run remove-demo');
      expect(refused.output.trim().split('\n').length).toBe(1);
      expect(refused.status).toBe(78);

      const removed = runToEnd('bin/remove-demo.js', production);
      expect([removed.status, removed.output.trim()]).toEqual([
        0,
        'Removed admin@example.com and customer@example.com.',
      ]);
      const repeated = runToEnd('bin/remove-demo.js', production);
      expect([repeated.status, repeated.output.trim()]).toEqual([0, 'There are no demo accounts.']);

      const noLocks = runToEnd('server/main.ts', { ...production, IGLOOHOME_LOCKS: 'Studio A=L1,Studio X=L2' });
      expect(noLocks.output.trim().split('\n')).toEqual([
        'configuration: IGLOOHOME_LOCKS: names no lock for Studio B, Studio C',
        'configuration: IGLOOHOME_LOCKS: there is no studio called Studio X',
      ]);
      expect(noLocks.status).toBe(78);

      const program = await startServer(production);
      const signedIn = await fetch(`http://localhost:${ports + 9}/auth/v1/token?grant_type=password`, {
        method: 'POST',
        headers: { apikey: program.runtime.anonKey, 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'admin@example.com', password: 'demo-admin-1' }),
      });
      expect(signedIn.status).toBe(400);
      expect(await program.kill('SIGTERM')).toBe(0);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
      await database?.drop();
    }
  },
);

describe.each(engines)('the removal of demo accounts on $name', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await engine.open();
  }, 120_000);
  afterAll(() => server.close());

  test('deletes their data, returns coupon uses, and leaves other accounts and real payments alone', async () => {
    const { db } = server.app;
    const auth = server.client().auth;
    const { data } = await auth.signInWithPassword(DEMO);
    const id = data.user?.id ?? '';
    const token = data.session?.access_token ?? '';
    const other = await server.addCustomer();
    await db.query(
      `insert into public.discount_codes (code, discount_type, discount_value, max_uses) values ('DEMO10', 'percentage', 10, 5)`,
    );
    const paid = await server.call('create-payment', checkout(span(server.now(), 30), { couponCode: 'DEMO10' }), token);
    expect(paid.status).toBe(200);
    const { id: session } = await readPayment(server, paid.body['bookingId']);
    await server.sandbox(`/api/payments/${session}`, { outcome: 'paid' });
    await server.call('verify-payment', { sessionId: session }, token);
    const real = await server.call('create-payment', checkout(span(server.now(), 40)), token);
    await db.query(`update private.payment set session_id = 'cs_live_real' where booking_id = $1::uuid`, [
      real.body['bookingId'],
    ]);
    const foreign = await server.call('create-payment', checkout(span(server.now(), 50)), other.token);
    await db.query(`insert into public.mailing_list (email) values ('customer@example.com')`);
    await db.query(
      `insert into public.id_verifications (user_id, source, verification_status, image_path) values ($1::uuid, 'photo', 'review', 'ids/picture')`,
      [id],
    );

    const done = await server.app.removeDemoAccounts();
    expect(done).toEqual({ accounts: ['admin@example.com', 'customer@example.com'], bookings: 1, kept: 1 });

    const remaining = await db.queryRow(
      `select (select count(*)::int from auth.users where email like '%@example.com' and email in ('customer@example.com', 'admin@example.com')) as accounts,
        (select count(*)::int from auth.sessions where user_id = $1::uuid) as sessions,
        (select count(*)::int from public.user_roles where role = 'admin') as admins,
        (select count(*)::int from public.profiles where user_id = $1::uuid) as profiles,
        (select count(*)::int from public.id_verifications where user_id = $1::uuid) as checks,
        (select count(*)::int from private.booking where id = $2::uuid) as simulated,
        (select count(*)::int from private.booking where id = $3::uuid and user_id is null and contact_phone is null) as kept,
        (select count(*)::int from private.booking where id = $4::uuid and user_id is not null) as others,
        (select count(*)::int from private.outbox where subject_id = $2::uuid) as jobs,
        (select current_uses from public.discount_codes where code = 'DEMO10') as uses,
        (select count(*)::int from public.mailing_list where email = 'customer@example.com') as listed,
        (select count(*)::int from storage.deletion_queue where storage_key = 'ids/picture') as pictures`,
      [id, paid.body['bookingId'], real.body['bookingId'], foreign.body['bookingId']],
    );
    const gone = {
      accounts: 0,
      sessions: 0,
      admins: 0,
      profiles: 0,
      checks: 0,
      simulated: 0,
      jobs: 0,
      uses: 0,
      listed: 0,
    };
    expect(remaining).toEqual({ ...gone, kept: 1, others: 1, pictures: 1 });
    expect(await server.app.removeDemoAccounts()).toEqual({ accounts: [], bookings: 0, kept: 0 });
  }, 120_000);
});
