import { once } from 'node:events';
import { join } from 'node:path';
import { serve, type ServerType } from '@hono/node-server';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { createAuthDoor } from '#server/auth/auth-door.ts';
import type { AuthConfig } from '#server/auth/auth-config.ts';
import { createMailQueue, type MailQueue } from '#server/auth/mail-queue.ts';
import { createOneTimeTokens } from '#server/auth/one-time-tokens.ts';
import { createSessions } from '#server/auth/sessions.ts';
import type { Database } from '#server/db/database.ts';
import { readMigrations } from '#server/db/migrate.ts';
import { openEmbedded, openPostgres } from '#server/db/open.ts';
import type { Log } from '#server/http/caller.ts';
import { createFrontHall } from '#server/http/front-hall.ts';
import { type Keys, temporaryKeys } from '#server/http/keys.ts';
import { createLimits } from '#server/http/limits.ts';
import { createReadCaller, createSessionWatch } from '#server/http/token.ts';
import type { MailMessage } from '#server/providers/ports.ts';
import { createTestDatabase } from '#tests/support/postgres.ts';

const MIGRATIONS = join(import.meta.dirname, '..', '..', 'database', 'migrations');
const SITE = 'https://studio.example';

/** What a mail holds that a person would act on. */
export type Letter = MailMessage & { readonly code: string; readonly tokenHash: string };

/** The auth door on a port of its own, with a database, a clock that tests move, and a letter box. */
export type AuthWorld = {
  readonly url: string;
  readonly db: Database;
  readonly keys: Keys;
  readonly queue: MailQueue;
  /** Everything that was logged as a failure: a test may look that nothing was. */
  readonly failures: readonly string[];
  /** Moves the server's clock. */
  pass(seconds: number): void;
  now(): Date;
  /** Makes the next mails fail. */
  failMails(count: number): void;
  /** All mails so far to an address, oldest first. */
  lettersTo(email: string): readonly Letter[];
  /** Waits for the n-th mail to an address, counted from 1. */
  letter(email: string, nth?: number): Promise<Letter>;
  /** A client as a browser tab has it, calling from an address of its own. */
  client(options?: { ip?: string; key?: string }): SupabaseClient;
  /** A plain call. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }>;
  /** Signs up and confirms; answers the client with its session. */
  member(email: string, password?: string): Promise<SupabaseClient>;
  close(): Promise<void>;
};

export type WorldOptions = {
  readonly config?: Partial<AuthConfig>;
  /** Multiplies every limit; 1 to test limits themselves. */
  readonly factor?: number;
  readonly postgres?: boolean;
};

/** Null when PostgreSQL is asked for and there is none. */
export async function openAuthWorld(options: WorldOptions = {}): Promise<AuthWorld | null> {
  const server = options.postgres ? await createTestDatabase() : null;
  if (options.postgres && !server) return null;
  const opening = { migrations: await readMigrations(MIGRATIONS), say: () => undefined, warn: () => undefined };
  const db = server ? await openPostgres(server.url, { ...opening, poolSize: 16 }) : await openEmbedded(null, opening);
  const keys = await temporaryKeys();
  const failures: string[] = [];
  const log: Log = {
    info: () => undefined,
    warn: () => undefined,
    error: (fields, message) =>
      void failures.push(`${message} ${JSON.stringify(fields)} ${String(fields['err'] ?? '')}`),
  };
  let ahead = 0;
  const clock = (): Date => new Date(Date.now() + ahead);
  const letters: Letter[] = [];
  let failing = 0;
  const mail = {
    async send(message: MailMessage): Promise<void> {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (failing > 0) {
        failing -= 1;
        throw new Error('the mail server is away');
      }
      letters.push({
        ...message,
        code: /^Code: (\d{6})$/m.exec(message.text)?.[1] ?? '',
        tokenHash: /token_hash=([\w-]+)/.exec(message.text)?.[1] ?? '',
      });
    },
  };
  const config: AuthConfig = {
    siteUrl: SITE,
    apiUrl: SITE,
    passwordMinLength: 6,
    autoconfirm: false,
    signupEnabled: true,
    accessTokenSeconds: 3_600,
    codeSeconds: 600,
    mailIntervalSeconds: 60,
    reuseSeconds: 10,
    ...options.config,
  };
  const limits = createLimits({ one: (text, values) => db.one(text, values), clock, factor: options.factor ?? 1_000 });
  const watch = createSessionWatch(async (id) => {
    const row = await db.one(
      `select 1 from auth.sessions s join auth.users u on u.id = s.user_id
       where s.id = $1::uuid and u.deleted_at is null and (u.banned_until is null or u.banned_until < $2::timestamptz)`,
      [id, clock()],
    );
    return row !== null;
  });
  const queue = createMailQueue({ db, mail, keys, clock, log, config });
  const door = createAuthDoor({
    db,
    limits,
    queue,
    keys,
    clock,
    log,
    config,
    tokens: createOneTimeTokens({ queue, clock }),
    sessions: createSessions({ db, keys, watch, clock, config }),
    readCaller: createReadCaller({ keys, sessions: watch, clock }),
  });
  const app = createFrontHall({ log, trustedProxies: 1, production: false, observe: () => undefined });
  app.route('/auth/v1', door);
  const http: ServerType = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  await once(http, 'listening');
  const at = http.address();
  if (at === null || typeof at === 'string') throw new Error('the door has no port');
  const url = `http://127.0.0.1:${at.port}`;

  let visitors = 0;
  const world: AuthWorld = {
    url,
    db,
    keys,
    queue,
    failures,
    pass: (seconds) => void (ahead += seconds * 1_000),
    now: clock,
    failMails: (count) => void (failing = count),
    lettersTo: (email) => letters.filter((one) => one.to === email),
    async letter(email, nth = 1) {
      const until = Date.now() + 4_000;
      for (;;) {
        const found = world.lettersTo(email)[nth - 1];
        if (found) return found;
        if (Date.now() > until) throw new Error(`no mail ${nth} to ${email}; ${failures.join('\n')}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    client({ ip, key } = {}) {
      visitors += 1;
      return createClient(url, key ?? keys.anonKey, {
        auth: { autoRefreshToken: false, persistSession: false, detectSessionInUrl: false },
        global: { headers: { 'x-forwarded-for': ip ?? `10.1.${visitors >> 8}.${visitors & 255}` } },
      });
    },
    async call(method, path, body, headers = {}) {
      const response = await fetch(`${url}/auth/v1${path}`, {
        method,
        redirect: 'manual',
        headers: {
          apikey: keys.anonKey,
          'content-type': 'application/json',
          'x-forwarded-for': '10.9.9.9',
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
    },
    async member(email, password = 'correct horse battery') {
      const client = world.client();
      const { error } = await client.auth.signUp({ email, password });
      if (error) throw error;
      const { code } = await world.letter(email);
      const verified = await client.auth.verifyOtp({ email, token: code, type: 'email' });
      if (verified.error) throw verified.error;
      return client;
    },
    async close() {
      http.close();
      if ('closeAllConnections' in http) http.closeAllConnections();
      await queue.flush();
      await db.close();
      await server?.drop();
    },
  };
  return world;
}
