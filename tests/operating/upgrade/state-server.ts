import { Server } from 'node:http';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { startSandbox } from '#sandbox/main.ts';
import { type App, compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { freePorts } from '#tests/support/test-server.ts';

type Answer = { readonly status: number; readonly body: Record<string, unknown> };
type Request = { readonly token?: string; readonly method?: string; readonly body?: unknown };

/** Actions of people on a server and on the providers of its sandbox. */
export type Client = {
  /** Sends a request and throws unless it succeeds. The body is sent as JSON unless it is bytes. */
  ask(path: string, request?: Request): Promise<Record<string, unknown>>;
  /** Sends a request with any body. */
  send(path: string, request?: Request): Promise<Response>;
  /** Calls a function and returns its status and answer. */
  call(name: string, body: unknown, token: string): Promise<Answer>;
  /** Signs in and returns the access token, or the token of an earlier call while it is valid. */
  signIn(email: string, password: string): Promise<string>;
  sandbox(path: string, body?: unknown): Promise<unknown>;
  /** Fetches bytes from the sandbox. */
  sandboxFile(path: string): Promise<Buffer>;
};

/** The program of this checkout with the sandbox, on a data folder that outlives it. */
export type StateServer = Client & {
  readonly app: App;
  now(): Date;
  /** Moves the clocks of the server and of the sandbox to an instant. */
  moveTo(now: Date): Promise<void>;
  /** Runs everything that is due. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

/** `dataDir` contains the keys, the uploaded files, the sandbox's state and, if `databaseUrl` is null, the database. */
export type StatePlace = { readonly dataDir: string; readonly databaseUrl: string | null };

/** How long a token is reused, in milliseconds: less than the life of an access token. */
const SESSION_MS = 1_800_000;

/** Returns the configuration for a data folder and a database. */
export function toConfig({ dataDir, databaseUrl }: StatePlace, more: Record<string, string> = {}) {
  return readConfig({
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    RATE_LIMIT_FACTOR: '10000',
    ID_READ_SECONDS: '60',
    PAYMENT_ANSWER_SECONDS: '30',
    AUTH_MAIL_MIN_SECONDS: '1',
    LOCK_CHECK_MINUTES: '0',
    LEDGER_CHECK_HOURS: '0',
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    ...more,
  });
}

/** Starts the program and the sandbox, with both clocks at `now`. */
export async function openStateServer(place: StatePlace, now: Date): Promise<StateServer> {
  const first = await freePorts();
  const url = `http://localhost:${first + 8}`;
  const stateFile = join(place.dataDir, 'sandbox.json');
  const sandboxServer = await startSandbox({ port: first, webhookTarget: url, stateFile });
  let offset = now.getTime() - Date.now();
  const clock = (): Date => new Date(Date.now() + offset);
  const config = toConfig(place, { PORT: String(first + 8), SANDBOX_PORT: String(first) });
  const app = await compose(config, { clock });
  const listener = serve({ fetch: app.http.fetch, port: first + 8 });
  if (listener instanceof Server) app.attach(listener);
  const timer = setInterval(() => void app.flushMail().catch(() => undefined), 100);

  const client = openClient({ url, sandboxUrl: sandboxServer.url, anonKey: app.keys.anonKey, now: clock });
  const moveTo = async (to: Date): Promise<void> => {
    offset = to.getTime() - Date.now();
    await client.sandbox('/api/clock', { now: to.toISOString() });
  };
  await moveTo(now);
  return {
    ...client,
    app,
    now: clock,
    moveTo,
    settle: () => app.scheduler.run(),
    async close() {
      clearInterval(timer);
      await app.disconnect();
      await new Promise<void>((resolve) => {
        listener.close(() => resolve());
        if ('closeAllConnections' in listener) listener.closeAllConnections();
      });
      await app.close();
      await sandboxServer.close();
    },
  };
}

type Place = {
  readonly url: string;
  readonly sandboxUrl: string;
  readonly anonKey: string;
  /** Returns the time of the server's clock. */
  readonly now: () => Date;
};

/** Returns a client of a running server. */
export function openClient({ url, sandboxUrl, anonKey, now }: Place): Client {
  const send = (path: string, { token = anonKey, method, body }: Request = {}): Promise<Response> => {
    const bytes = body instanceof Uint8Array ? Buffer.from(body) : undefined;
    return fetch(`${url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        apikey: anonKey,
        authorization: `Bearer ${token}`,
        'content-type': bytes ? 'image/jpeg' : 'application/json',
      },
      ...(body === undefined ? {} : { body: bytes ?? JSON.stringify(body) }),
    });
  };
  const read = async (response: Response): Promise<Answer> => {
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : Object(JSON.parse(text)) };
  };
  const ask = async (path: string, request?: Request): Promise<Record<string, unknown>> => {
    const { status, body } = await read(await send(path, request));
    if (status >= 300) throw new Error(`${path} answers ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const sessions = new Map<string, { token: string; at: number }>();
  return {
    ask,
    send,
    call: async (name, body, token) => read(await send(`/functions/v1/${name}`, { body, token })),
    async signIn(email, password) {
      const open = sessions.get(email);
      if (open && Math.abs(now().getTime() - open.at) < SESSION_MS) return open.token;
      const session = await ask('/auth/v1/token?grant_type=password', { body: { email, password } });
      const token = String(session['access_token']);
      sessions.set(email, { token, at: now().getTime() });
      return token;
    },
    async sandbox(path, body) {
      const request =
        body === undefined
          ? {}
          : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      return (await fetch(`${sandboxUrl}${path}`, request)).json();
    },
    sandboxFile: async (path) => Buffer.from(await (await fetch(`${sandboxUrl}${path}`)).arrayBuffer()),
  };
}
