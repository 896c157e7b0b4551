import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '#database/types.ts';
import { type Engine, engines as every, oneEngine as one } from '#tests/support/engines.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import { startTestServer, mailsTo, until, type TestServer } from '#tests/support/test-server.ts';

/** An email with its code and the token of its link. */
type AccountMail = {
  readonly subject: string;
  readonly text: string;
  readonly code: string;
  readonly tokenHash: string;
};
export type Answer = { status: number; headers: Headers; body: Record<string, unknown> };
const isPostgres = ({ name }: Engine): boolean => name === 'PostgreSQL';
/** Whether each engine under test is PostgreSQL. */
export const engines: readonly boolean[] = every.map(isPostgres);
/** The same for the single engine of tests that do not depend on the engine. */
export const oneEngine: readonly boolean[] = one.map(isPostgres);
export const PASSWORD = 'correct horse battery';

/** The test server with helpers for accounts: clients with their own IP address, codes from emails, raw calls. */
export type AuthTestServer = TestServer & {
  /** Returns all emails to an address, oldest first. */
  readMails(email: string): Promise<AccountMail[]>;
  /** Waits for the nth email to an address, counted from 1. */
  mail(email: string, nth?: number): Promise<AccountMail>;
  /** Waits for the nth text message to a phone number (with its plus sign), counted from 1. Returns its code. */
  textCode(phone: string, nth?: number): Promise<string>;
  /** Creates a client with the service key. */
  service(): SupabaseClient<Database>;
  /** Creates a client that resembles a browser tab, with its own IP address. */
  visitor(ip?: string): SupabaseClient<Database>;
  /** Makes a raw call to /auth/v1. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Signs up and confirms an account. Returns the client with its session. */
  member(email: string, password?: string): Promise<SupabaseClient<Database>>;
};

/**
 * Starts a server whose limits are effectively off unless `env` sets them. The minimum of a minute between two emails to the same address
 * still applies.
 */
export async function startAuthTestServer(
  options: { postgres?: boolean; env?: Record<string, string> } = {},
): Promise<AuthTestServer> {
  const database = options.postgres ? await createMigratedDatabase() : null;
  const server = await startTestServer({
    ...(database === null ? {} : { databaseUrl: database.url }),
    env: { RATE_LIMIT_FACTOR: '10000', AUTH_MAIL_MIN_SECONDS: '60', TRUSTED_PROXIES: '1', ...options.env },
  });
  let visitors = 0;
  const nextAddress = (): string => {
    visitors += 1;
    return `10.1.${visitors >> 8}.${visitors & 255}`;
  };

  const readMails = async (email: string): Promise<AccountMail[]> =>
    (await mailsTo(server, email))
      .map(({ subject, text }) => ({
        subject,
        text,
        code: /^Code: (\d{6})\s*$/m.exec(text)?.[1] ?? '',
        tokenHash: /token_hash=([\w-]+)/.exec(text)?.[1] ?? '',
      }))
      .toReversed();
  /** Waits for a message and until the server has recorded that it was sent: moving the clock before that would send it again. */
  async function arrival<T>(to: string, find: () => Promise<T | undefined>): Promise<T> {
    const found = await until(find, 5_000);
    const leased = `select 1 from private.outbox where recipient = ltrim($1, '+') and lease_until > $2::timestamptz`;
    await until(async () => (await server.app.db.queryRow(leased, [to, server.now()])) === null, 5_000);
    return found;
  }
  const mail = (email: string, nth = 1): Promise<AccountMail> =>
    arrival(email, async () => (await readMails(email))[nth - 1]);
  const visitor = (ip = nextAddress()): SupabaseClient<Database> =>
    createClient<Database>(server.url, server.app.keys.anonKey, {
      auth: { autoRefreshToken: false, persistSession: false, detectSessionInUrl: false },
      global: { headers: { 'x-forwarded-for': ip } },
    });

  return {
    ...server,
    readMails,
    mail,
    visitor,
    textCode: (phone, nth = 1) =>
      arrival(phone, async () => {
        const texts = await server.sandbox(`/api/texts?to=${encodeURIComponent(phone)}`);
        const found: { text: string } | undefined = Array.isArray(texts) ? texts.toReversed()[nth - 1] : undefined;
        return /^(\d+) is your/.exec(found?.text ?? '')?.[1];
      }),
    service: () =>
      createClient<Database>(server.url, server.app.keys.serviceRoleKey, {
        auth: { autoRefreshToken: false, persistSession: false, detectSessionInUrl: false },
      }),
    async request(method, path, body, headers = {}) {
      const response = await fetch(`${server.url}/auth/v1${path}`, {
        method,
        redirect: 'manual',
        headers: {
          apikey: server.app.keys.anonKey,
          'content-type': 'application/json',
          'x-forwarded-for': nextAddress(),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
    },
    async member(email, password = PASSWORD) {
      const client = visitor();
      const { error } = await client.auth.signUp({ email, password });
      if (error) throw error;
      const { code } = await mail(email);
      const verified = await client.auth.verifyOtp({ email, token: code, type: 'email' });
      if (verified.error) throw verified.error;
      return client;
    },
    async close() {
      await server.close();
      await database?.drop();
    },
  };
}

/** Creates a client with the service key, for admin calls. */
export function serviceClient(server: TestServer): SupabaseClient<Database> {
  return createClient<Database>(server.url, server.app.keys.serviceRoleKey, {
    auth: { autoRefreshToken: false, persistSession: false },
  });
}
