import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthTestServer, startAuthTestServer, PASSWORD, engines } from './auth-test-server.ts';

const GUESSES = process.env['TEST_LONG'] ? 1_000 : 150;
const TRIES = 5;

describe.each(engines)('simultaneous guesses of one code (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  beforeAll(async () => {
    server = await startAuthTestServer({ postgres });
  });
  afterAll(() => server.close());

  test(`of ${GUESSES} at most ${TRIES} are checked`, { timeout: 600_000 }, async () => {
    const email = 'guessed@example.com';
    await server.visitor().auth.signUp({ email, password: PASSWORD });
    const { code } = await server.mail(email);
    // The correct code is sent last, so it is among the first five only by chance.
    const guesses = Array.from({ length: GUESSES }, (_, n) =>
      String((Number(code) + GUESSES - 1 - n) % 1_000_000).padStart(6, '0'),
    );
    const statuses = await Promise.all(
      guesses
        .slice(0, -1)
        .map(async (token) => (await server.request('POST', '/verify', { email, token, type: 'signup' })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([403]));
    const row = await server.app.db.queryRow<{ attempts: number }>(
      'select attempts from auth.one_time_tokens where email = $1',
      [email],
    );
    expect(row).toEqual({ attempts: TRIES });
    expect((await server.request('POST', '/verify', { email, token: code, type: 'signup' })).status).toBe(403);
  });

  if (postgres)
    test(
      'the same load detects a counter that is read first and written afterwards',
      { timeout: 600_000 },
      async () => {
        const pool = new pg.Pool({ connectionString: server.ownerUrl ?? '', max: 16 });
        await pool.query('create table private.naive_code (attempts int not null)');
        await pool.query('insert into private.naive_code values (0)');
        let lookedAt = 0;
        await Promise.all(
          Array.from({ length: GUESSES }, async () => {
            const { rows } = await pool.query<{ attempts: number }>('select attempts from private.naive_code');
            const attempts = rows[0]?.attempts ?? 0;
            if (attempts >= TRIES) return;
            lookedAt += 1;
            await pool.query('update private.naive_code set attempts = $1', [attempts + 1]);
          }),
        );
        await pool.end();
        expect(lookedAt).toBeGreaterThan(TRIES);
      },
    );
});
