import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { createEncryption } from '#server/crypto/encryption.ts';
import { ConfigRefused } from '#server/config/config-refused.ts';
import { runAcceptKeys } from '#server/start/keys/accept-keys.ts';
import { createSecrets } from '#server/start/keys/secrets.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { type Customer, STUDIO_A, type TestServer } from '#tests/support/test-server.ts';

const [FIRST, SECOND] = ['the first secret of 32 or more letters', 'the second secret of 32 or more letters'];
const CODE = randomUUID();
const FACTOR = randomUUID();
const PIN = '604113';

describe.each(oneEngine)('the keys of a database on $name', (engine) => {
  let server: TestServer;
  let folder: string;
  let customer: Customer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keys-'));
    server = await engine.open();
    customer = await server.addCustomer();
    const { doorCodes, doorFingerprint } = createSecrets(server.app.keys);
    await server.app.db.query(
      `insert into private.staff_code (id, studio_id, lock_id, name, status, starts_at, ends_at, variant, pin_encrypted, pin_fingerprint, made_by, request_id, created_at)
       values ($1, $2, 'LOCK', 'Cleaner', 'issued', now(), now() + interval '1 hour', 0, $3, $4, $5, 'one', now())`,
      [CODE, STUDIO_A, doorCodes.encrypt(PIN, CODE), doorFingerprint(PIN), customer.id],
    );
    await server.app.db.query(
      `insert into auth.mfa_factors (id, user_id, factor_type, status, secret, created_at, updated_at)
       values ($1, $2, 'totp', 'verified', $3, now(), now())`,
      [
        FACTOR,
        customer.id,
        createEncryption(server.app.keys.derive('totp-secret')).encrypt('JBSWY3DPEHPK3PXP', FACTOR),
      ],
    );
  }, 120_000);
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const createConfig = (env: Record<string, string>) => readConfig({ LOG_LEVEL: 'silent', ...env });
  /** Starts another server on the same database, with its own folder unless `env` names one. */
  async function another(env: Record<string, string>): Promise<App> {
    const db = { ...server.app.db, close: () => Promise.resolve() };
    return compose(createConfig({ DATA_DIR: join(folder, randomUUID()), ...env }), { memory: db });
  }
  const stored = async (): Promise<{ pin: string; print: string; secret: string }> => {
    const row = await server.app.db.queryRow<{ pin: string; print: string; secret: string }>(
      `select c.pin_encrypted as pin, c.pin_fingerprint as print, f.secret from private.staff_code c, auth.mfa_factors f where c.id = $1 and f.id = $2`,
      [CODE, FACTOR],
    );
    if (!row) throw new Error('the rows are there');
    return row;
  };

  test('a server with other keys does not start, and says what to do in one line', async () => {
    const refused = await another({}).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigRefused);
    const { faults } = refused as ConfigRefused;
    expect(faults).toEqual([
      expect.stringMatching(
        /^KEYS: this database was used with another APP_SECRET, JWT_SECRET, AUTH_SIGNING_KEYS_FILE\..*accept-keys$/,
      ),
    ]);
    await expect(another({ APP_SECRET: FIRST })).rejects.toBeInstanceOf(ConfigRefused);
    // If the server accepted other client keys, every page would fail.
    await expect(another({ DATA_DIR: server.dataDir, JWT_SECRET: FIRST })).rejects.toMatchObject({
      faults: [expect.stringContaining('with another JWT_SECRET.')],
    });
  });

  test('keys.json gives way to APP_SECRET, and that to another one: sessions go on, and what is stored is encrypted again', async () => {
    const before = await stored();
    const steps: Record<string, string>[] = [
      { DATA_DIR: server.dataDir, APP_SECRET: FIRST },
      { APP_SECRET: SECOND, APP_SECRET_PREVIOUS: FIRST },
    ];
    for (const env of steps) {
      const app = await another(env);
      expect(await app.keys.verify(customer.token, new Date()), 'the token of keys.json').toEqual(
        env['DATA_DIR'] === undefined ? null : expect.objectContaining({ sub: customer.id }),
      );
      await app.scheduler.run(['encrypt with the current key']);
      await app.close();
    }
    const rotated = await another({ APP_SECRET: SECOND });
    const { doorCodes, doorFingerprint } = createSecrets(rotated.keys);
    const after = await stored();
    expect(doorCodes.decrypt(after.pin, CODE)).toBe(PIN);
    expect(after.print).toBe(doorFingerprint(PIN));
    expect(createEncryption(rotated.keys.derive('totp-secret')).decrypt(after.secret, FACTOR)).toBe('JBSWY3DPEHPK3PXP');
    expect(before.pin).not.toBe(after.pin);
    await rotated.close();
    expect(await readdir(server.dataDir)).toContain('keys.json');
    // The first secret no longer belongs to this database.
    await expect(another({ APP_SECRET: FIRST })).rejects.toBeInstanceOf(ConfigRefused);
  });

  test('when the keys are lost, accept-keys takes the present ones and counts what cannot be read', async () => {
    const lines: string[] = [];
    const config = createConfig({ DATA_DIR: join(folder, 'lost'), APP_SECRET: FIRST });
    const db = { ...server.app.db, close: () => Promise.resolve() };
    expect(await runAcceptKeys(config, (line) => lines.push(line), db)).toBe(0);
    expect(lines).toEqual([
      'The present keys are the keys of this database from now on. All users must sign in again.',
      '2 authenticator apps and door codes cannot be read any more: remove the second factors, and make the codes again.',
    ]);
    await (await another({ APP_SECRET: FIRST })).close();
  });
});
