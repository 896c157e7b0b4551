import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashPassword } from '#server/auth/accounts/passwords.ts';
import type { Database } from '#server/db/database.ts';
import { type DemoAccount, demoAccounts } from './demo-accounts.ts';
import type { Clock } from '#server/http/caller.ts';

type SeedSettings = {
  /** Null without the sandbox, which comes with the demo accounts. */
  readonly sandboxUrl: string | null;
  readonly adminEmails: readonly string[];
  readonly developerPages: boolean;
  readonly adminRequiresMfa: boolean;
  readonly limitFactor: number;
};

/**
 * Writes the rows that every start needs: the studios, the settings that SQL reads, and the demo accounts. Existing accounts stay
 * unchanged.
 */
export async function seed(context: {
  db: Database;
  root: string;
  config: SeedSettings;
  clock: Clock;
  report: (line: string) => void;
}): Promise<readonly DemoAccount[]> {
  const { db, root, config } = context;
  await db.query(await readFile(join(root, 'database', 'seed', 'studios.sql'), 'utf8'));
  const demo = config.sandboxUrl === null ? [] : demoAccounts;
  const admins = [
    ...config.adminEmails,
    ...demo.filter((account) => account.email.startsWith('admin')).map((account) => account.email),
  ];
  for (const [name, value] of [
    ['admin_emails', JSON.stringify(admins)],
    ['developer_pages', JSON.stringify(config.developerPages)],
    ['admin_requires_mfa', JSON.stringify(config.adminRequiresMfa)],
    ['limit_factor', JSON.stringify(config.limitFactor)],
  ]) {
    await db.query(
      `insert into private.settings (name, value) values ($1, $2::jsonb) on conflict (name) do update set value = excluded.value`,
      [name, value],
    );
  }
  for (const account of demo) await seedAccount(context, account);
  return demo;
}

async function seedAccount(
  context: { db: Database; clock: Clock; report: (line: string) => void },
  account: DemoAccount,
): Promise<void> {
  const { db, clock } = context;
  if (await db.queryRow('select 1 from auth.users where email = $1 and deleted_at is null', [account.email])) return;
  context.report(`creating ${account.title.toLowerCase()}`);
  const now = clock();
  const row = await db.queryRow<{ id: string }>(
    `insert into auth.users (email, encrypted_password, email_confirmed_at, raw_user_meta_data, created_at)
     values ($1, $2, $3::timestamptz, $4::jsonb, $3::timestamptz) on conflict do nothing returning id`,
    [
      account.email,
      await hashPassword(account.password),
      now,
      { full_name: 'Alex Citizen', phone: '+61400000000', dj_name: '', date_of_birth: '1998-04-03' },
    ],
  );
  if (!row) return;
  // The demo customer is verified and has accepted the terms, so that a visitor can try a booking at once.
  await db.query(
    `insert into public.id_verifications (user_id, source, verification_status, verified_at, expires_at, created_at, extracted_full_name, extracted_dob, is_over_18)
     values ($1::uuid, 'staff', 'verified', $2::timestamptz, $2::timestamptz + interval '24 months', $2::timestamptz, 'Alex Citizen', '1998-04-03', true)`,
    [row.id, now],
  );
  await db.query(
    `insert into public.terms_acceptances (user_id, version, accepted_at) values ($1::uuid, private.business_settings() ->> 'termsVersion', $2::timestamptz) on conflict do nothing`,
    [row.id, now],
  );
}
