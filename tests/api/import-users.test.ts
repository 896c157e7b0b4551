import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import type { Database } from '#database/types.ts';
import { expect, test } from 'vitest';
import { migratedFolder } from '#tests/support/image.ts';
import { PROGRAM_ENV, startServer } from '#tests/support/server-process.ts';
import { freePorts } from '#tests/support/test-server.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
// The bcrypt hash of "correct horse battery", cost 6, as a hosted project stores it.
const HASH = '$2b$06$t8V8PuXQl7HwjGgN10PGv.mDt75QRe1DSj7smSfvbnh8bsjkwRovG';
const ANNA = '11111111-1111-4111-8111-111111111111';
const BEN = '22222222-2222-4222-8222-222222222222';
const COLUMNS =
  'instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data, is_super_admin, created_at, phone, is_anonymous';
const dump = (hash: string): string => `
COPY auth.users (${COLUMNS}) FROM stdin;
00000000-0000-0000-0000-000000000000\t${ANNA}\tauthenticated\tauthenticated\tAnna@Example.com\t${hash}\t2024-02-03 04:05:06.789+00\t{"provider": "email", "providers": ["email", "google"]}\t{"full_name": "Anna Import"}\t\\N\t2024-01-02 03:04:05+00\t\\N\tf
00000000-0000-0000-0000-000000000000\t${BEN}\tauthenticated\tservice_role\tben@example.com\t${hash}\t2024-02-03 04:05:06+00\t{}\t{}\tt\t2024-01-02 03:04:05+00\t\\N\tf
\\.
COPY auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at, id) FROM stdin;
${ANNA}\t${ANNA}\t{"sub": "${ANNA}", "email": "anna@example.com"}\temail\t\\N\t2024-01-02 03:04:05+00\t\\N\t33333333-3333-4333-8333-333333333333
10987\t${ANNA}\t{"sub": "10987", "email": "anna@example.com"}\tgoogle\t\\N\t2024-01-02 03:04:05+00\t\\N\t44444444-4444-4444-8444-444444444444
\\.
`;

test('accounts of a hosted project are imported once, with their ids, identities and passwords', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'import-'));
  const ports = await freePorts();
  const env = { DATA_DIR: join(folder, 'data'), SANDBOX_PORT: String(ports), PORT: String(ports + 8) };
  const file = join(folder, 'dump.sql');
  await writeFile(file, dump(HASH));
  await migratedFolder(join(env.DATA_DIR, 'database'));
  const run = (): { status: number | null; output: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['server/main.ts', 'import-users', file], {
      cwd: ROOT,
      env: { ...PROGRAM_ENV, ...env },
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  };
  const first = run();
  expect(first.output).toContain('1 accounts and 1 further identities imported, 0 already existed, 1 refused');
  expect(first.output).toContain(`refused user ${BEN}: role`);
  expect(first.output).not.toContain(HASH);
  expect(first.status).toBe(1);
  expect(run().output).toContain('0 accounts and 0 further identities imported, 1 already existed, 1 refused');

  const server = await startServer(env);
  const client = createClient<Database>(server.runtime.apiUrl, server.runtime.anonKey, {
    auth: { persistSession: false },
  });
  for (let n = 0; n < 2; n += 1) {
    // By the second sign-in, the hash has been replaced by one of ours.
    const { data, error } = await client.auth.signInWithPassword({
      email: 'anna@example.com',
      password: 'correct horse battery',
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ id: ANNA, user_metadata: { full_name: 'Anna Import' } });
    expect(data.user?.identities?.map((identity) => `${identity.provider} ${identity.id}`).toSorted()).toEqual([
      `email ${ANNA}`,
      'google 10987',
    ]);
  }
  await server.kill('SIGTERM');
  await rm(folder, { recursive: true });
}, 240_000);
