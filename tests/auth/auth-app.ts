import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { createMessageQueue, MESSAGE_WORKERS, messageJobKinds } from '#server/auth/codes/message-queue.ts';
import { sendMessage } from '#server/auth/codes/send-message.ts';
import type { AuthConfig } from '#server/auth/core/config.ts';
import type { AuthContext } from '#server/auth/core/context.ts';
import { mailRedirect } from '#server/auth/core/redirects.ts';
import { authLimits } from '#server/auth/core/limits.ts';
import { createAuthRouter } from '#server/auth/router.ts';
import { isSessionAlive } from '#server/auth/sessions/is-session-alive.ts';
import type { Database } from '#server/db/database.ts';
import type { Env } from '#server/http/caller.ts';
import { type Keys, temporaryKeys } from '#server/crypto/keys.ts';
import { createLeasedLimit, takeBatches } from '#server/http/leased-limit.ts';
import { createLimits } from '#server/http/limits.ts';
import { createReadCaller, createSessionWatch } from '#server/http/token.ts';
import { createQueue } from '#server/queue/queue.ts';
import type { ProviderUser, MailMessage, SignInProvider, SingleSignOn } from '#server/providers/ports.ts';
import { takeEmbedded } from '#tests/support/databases/embedded-pool.ts';

export const SITE = 'http://localhost:4000';
export const PASSWORD = 'correct horse battery';
export const NEW_PASSWORD = 'another fine phrase';

export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Record<string, unknown> };
type RequestOptions = {
  readonly token?: string;
  readonly ip?: string;
  readonly headers?: Record<string, string>;
};
export type SignedInUser = {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly refresh: string;
};

/** An auth server with its own settings. Several servers may share one database. */
export type AuthServer = {
  /** Calls `/auth/v1` and returns the response. A body that is not JSON becomes `{text}`. */
  request(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  /** `flush` sends queued messages. */
  readonly queue: { flush(): Promise<void> };
};

/** The auth API on an embedded database. Emails, text messages and identity providers are in memory. */
export type AuthApp = AuthServer & {
  readonly db: Database;
  readonly keys: Keys;
  readonly mails: MailMessage[];
  readonly texts: { to: string; text: string; key: string }[];
  /** Runs before an email is handed over. */
  beforeMail: (message: MailMessage) => Promise<void>;
  /** The user that the identity provider returns next. */
  providerUser: ProviderUser;
  now(): Date;
  advance(ms: number): void;
  /** Starts another server on the same database. `limitFactor`: 1 for the limits of production. */
  server(options: ServerOptions): AuthServer;
  /** Sends queued messages and returns the newest email to an address. */
  mailTo(email: string): Promise<{ subject: string; text: string; code: string; tokenHash: string }>;
  /** Sends queued messages and returns the newest code that was texted to a phone number, given with its plus sign. */
  textTo(phone: string): Promise<string>;
  /** Creates a confirmed account with a password and signs it in. */
  member(email?: string): Promise<SignedInUser>;
  signIn(email: string, password?: string): Promise<SignedInUser>;
  close(): Promise<void>;
};
type ServerOptions = {
  readonly config?: Partial<AuthConfig>;
  readonly limitFactor?: number;
  readonly dependencies?: Partial<Pick<AuthContext, 'captcha' | 'providers' | 'ssoProviders'>>;
};

const CONFIG: AuthConfig = {
  siteUrl: SITE,
  apiUrl: SITE,
  passwordMinLength: 6,
  breachedCheck: true,
  passwordRequired: 'none',
  autoconfirm: false,
  phoneAutoconfirm: false,
  signupEnabled: true,
  phoneEnabled: true,
  anonymousEnabled: true,
  manualLinking: true,
  doubleConfirm: false,
  accessTokenSeconds: 3_600,
  codeLength: 6,
  codeSeconds: 3_600,
  mailIntervalSeconds: 0,
  reuseSeconds: 10,
  sessionSeconds: null,
  inactivitySeconds: null,
  singleSession: false,
  testCodes: new Map(),
  factors: { totp: true, phone: true, webauthn: true, max: 10, challengeSeconds: 300 },
  passkeys: { enabled: true, max: 10 },
  relyingParty: { id: 'localhost', name: 'Studios', origins: [SITE] },
  redirects: [],
  chains: ['ethereum', 'solana'],
};

const LETTERHEAD = { name: 'Studios', address: 'Sydney NSW', email: 'studios@example.com' };

/** Opens an embedded database with one server, whose limits are effectively off. */
export async function openAuthApp(): Promise<AuthApp> {
  const db = await takeEmbedded();
  const keys = await temporaryKeys();
  let offset = 0;
  const clock = (): Date => new Date(Date.now() + offset);
  const mails: MailMessage[] = [];
  const texts: { to: string; text: string; key: string }[] = [];
  const external = { providerUser: newProviderUser(), beforeMail: (_message: MailMessage) => Promise.resolve() };
  const provider = createProvider(() => external.providerUser);
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  let callers = 0;

  function server({ config: settings = {}, limitFactor = 10_000, dependencies = {} }: ServerOptions): AuthServer {
    const config = { ...CONFIG, ...settings };
    const sessions = createSessionWatch((id) => isSessionAlive(db, config, id, clock()));
    const mail = {
      async send(message: MailMessage) {
        await external.beforeMail(message);
        mails.push(message);
      },
    };
    const queue = createMessageQueue({
      mailRedirect: (requested) => mailRedirect(config, requested),
      // Tests send messages themselves, so nothing is sent in the background.
      wake: () => undefined,
      clock,
      codeSeconds: config.codeSeconds,
    });
    const context: AuthContext = {
      db,
      keys,
      clock,
      config,
      limits: createLimits({ queryRow: (text, values) => db.queryRow(text, values), clock, factor: limitFactor }),
      admitRefresh: createLeasedLimit({
        limit: authLimits.refreshIp,
        take: takeBatches({ queryRow: db.queryRow, clock, factor: limitFactor }),
        clock,
      }),
      queue,
      mail,
      letterhead: () => LETTERHEAD,
      texts: { send: async (message) => void texts.push(message) },
      isBreached: () => false,
      captcha: null,
      sessions,
      providers: new Map([[provider.name, provider]]),
      ssoProviders: [],
      readCaller: createReadCaller({ keys, sessions, clock, keyRequired: false }),
      ...dependencies,
    };
    const jobs = createQueue({
      db,
      clock,
      log,
      workers: MESSAGE_WORKERS,
      kinds: messageJobKinds((message) => sendMessage(context, message)),
    });
    const app = new Hono<Env>();
    app.use(async (c, next) => {
      c.set('ip', c.req.header('x-test-ip') ?? '');
      c.set('requestId', randomUUID());
      c.set('log', log);
      await next();
    });
    app.route('/auth/v1', createAuthRouter(context));
    return {
      queue: { flush: async () => void (await jobs.run()) },
      async request(method, path, body, { token, ip, headers = {} } = {}) {
        callers += 1;
        const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
        const response = await app.request(`${SITE}/auth/v1${path}`, {
          method,
          headers: {
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            'x-test-ip': ip ?? `10.${callers >> 16}.${(callers >> 8) & 255}.${callers & 255}`,
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...headers,
          },
          ...sent,
        });
        const text = await response.text();
        const json = response.headers.get('content-type')?.startsWith('application/json') === true;
        return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : { text } };
      },
    };
  }

  const main = server({});
  async function signIn(email: string, password = PASSWORD): Promise<SignedInUser> {
    const { status, body } = await main.request('POST', '/token?grant_type=password', { email, password });
    if (status !== 200) throw new Error(`signing in answered ${status} ${textIn(body, 'code')}`);
    return {
      id: textIn(body, 'user', 'id'),
      email,
      token: textIn(body, 'access_token'),
      refresh: textIn(body, 'refresh_token'),
    };
  }
  return Object.assign(external, {
    ...main,
    db,
    keys,
    mails,
    texts,
    now: clock,
    advance: (ms: number) => void (offset += ms),
    server,
    async mailTo(email: string) {
      await main.queue.flush();
      const found = mails.findLast((mail) => mail.to === email);
      if (!found) throw new Error(`no mail to ${email}`);
      return {
        subject: found.subject,
        text: found.text,
        code: /^Code: (\d{6})\s*$/m.exec(found.text)?.[1] ?? '',
        tokenHash: /token_hash=([\w-]+)/.exec(found.text)?.[1] ?? '',
      };
    },
    async textTo(phone: string) {
      await main.queue.flush();
      const found = texts.findLast((text) => text.to === phone);
      return /^(\d+) is your/.exec(found?.text ?? '')?.[1] ?? '';
    },
    async member(email = `${randomUUID().slice(0, 13)}@example.com`) {
      const form = { email, password: PASSWORD, email_confirm: true };
      const created = await main.request('POST', '/admin/users', form, { token: keys.serviceRoleKey });
      if (created.status !== 200) throw new Error(`an account was refused: ${textIn(created.body, 'message')}`);
      return signIn(email);
    },
    signIn,
    close: () => db.close(),
  });
}

/** Returns the text at a path in a body. Throws if there is none. */
export function textIn(body: unknown, ...path: readonly (string | number)[]): string {
  let found = body;
  for (const name of path) found = Object(found)[name];
  if (typeof found !== 'string') throw new Error(`there is no text at ${path.join('.')}`);
  return found;
}

/** Returns a user with a verified address, in the form that an identity provider sends. */
export function newProviderUser(more: Partial<ProviderUser> = {}): ProviderUser {
  const subject = randomUUID();
  return { subject, email: `${subject.slice(0, 8)}@example.com`, emailVerified: true, claims: {}, ...more };
}

/** An identity provider in memory. Its id token is the number of seconds until the token expires. */
function createProvider(user: () => ProviderUser): SignInProvider {
  return {
    name: 'google',
    formPost: false,
    startUrl: ({ state }) => Promise.resolve(`https://accounts.example.com/?state=${state}`),
    redeem: () => Promise.resolve({ user: user(), accessToken: 'provider access', refreshToken: null }),
    readIdToken: (token) =>
      Promise.resolve({ user: user(), nonce: null, expiresAt: new Date(Date.now() + Number(token) * 1000) }),
  };
}

/** A SAML provider in memory for addresses at `domain`. It stores each request in `requests`. */
export function createSsoProvider(domain: string, requests: { requestId: string }[]): SingleSignOn {
  return {
    id: '5a4d1000-0000-4000-8000-000000000001',
    domains: [domain],
    startUrl(of) {
      requests.push(of);
      return Promise.resolve(`https://sso.${domain}/?RelayState=${of.relayState}`);
    },
    read: (answer) => Promise.resolve(JSON.parse(answer)),
  };
}
