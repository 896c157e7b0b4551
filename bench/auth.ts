import { spawn } from 'node:child_process';
import { serve } from '@hono/node-server';
import { hash, verify } from '@node-rs/argon2';
import { Hono } from 'hono';
import { createLocalJWKSet, generateKeyPair, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import pg from 'pg';
import { z } from 'zod';
import { openBenchServer } from './test-server.ts';
import { load, median } from './callers/load.ts';
import { refreshInChains } from './callers/refresh.ts';
import { postgresTime, processorTime } from './callers/processor-time.ts';

/**
 * `npm run bench -- auth`: compares the auth API with its baselines, one after the other in each round of one run. A baseline is the cost of the bare work: a
 * route that verifies a token, one that sends the statement of a refresh and signs a token, one that only signs, and one hash. `npm run
 * bench -- auth user refresh passwords` runs only these cases.
 */
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const ROUNDS = 3;
const CONNECTIONS = 32;
/** A session keeps its last rotations for ten seconds. Sessions take turns, because no client refreshes one without a pause. */
const SESSIONS_EACH = 32;
const PASSWORD = 'correct horse battery';
/** The parameters that the server uses. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const HASHES_AT_ONCE = 2;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

type Session = { readonly access_token: string; readonly refresh_token: string };
const readSession = (text: string): Session => JSON.parse(text);
/** Data of the server that the baselines need: its keys, its database, and the statement of a refresh. */
type Bare = { readonly keys: JSONWebKeySet; readonly databaseUrl: string; readonly rotation: string };

/**
 * Creates a bare refresh: reads the token, sends the server's statement prepared with `pg`, and signs. Checks no hash and counts no limit.
 */
function createBareRefresh({ databaseUrl, rotation }: Bare): (text: string) => Promise<Record<string, unknown>> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const statement = { name: 'rotate', text: rotation };
  const keys = generateKeyPair('ES256');
  return async (text) => {
    const token = Buffer.from(text, 'base64url');
    const generation = token.readUInt32BE(16);
    const now = Date.now();
    // The present instant, the instant from which rotation times are kept, and the earliest beginning and the earliest use of a session.
    const times = [now, now - 10_000, 0, 0].map((at) => new Date(at));
    const values = [...times, token.toString('hex', 0, 16), generation, '127.0.0.1'];
    const { rows } = await pool.query<Record<string, unknown>>({ ...statement, values });
    const [user] = rows;
    if (user === undefined) throw new Error('a token that is not the newest');
    token.writeUInt32BE(generation + 1, 16);
    const claims = { sub: String(user['id']), role: 'authenticated', email: user['email'] };
    const { privateKey } = await keys;
    const access_token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    return { access_token, refresh_token: token.toString('base64url'), user };
  };
}

/** Serves the baselines in a separate process, like the server. */
async function serveBaselines(port: number, bare: Bare): Promise<void> {
  const refresh = createBareRefresh(bare);
  const jwks = createLocalJWKSet(bare.keys);
  const { privateKey } = await generateKeyPair('ES256');
  const stored = await hash(PASSWORD, COST);
  const app = new Hono();
  app.get('/verify', async (c) => {
    const token = c.req.header('authorization')?.slice(7) ?? '';
    const { payload } = await jwtVerify(token, jwks, { audience: 'authenticated', algorithms: ['ES256'] });
    return c.json({ id: payload.sub, email: payload['email'], role: payload['role'] });
  });
  app.post('/sign', async (c) => {
    await c.req.text();
    const token = new SignJWT({ sub: 'somebody', role: 'authenticated' }).setProtectedHeader({ alg: 'ES256' });
    return c.json({ access_token: await token.sign(privateKey), refresh_token: 'x' });
  });
  app.post('/rotate', async (c) => {
    const { refresh_token } = z.object({ refresh_token: z.string() }).parse(await c.req.json());
    return c.json(await refresh(refresh_token));
  });
  app.post('/hash', async (c) => {
    const { password } = z.object({ password: z.string() }).parse(await c.req.json());
    return c.json({ fits: await verify(stored, password) });
  });
  app.get('/hashes', async (c) => {
    let count = 0;
    const end = performance.now() + SECONDS * 1000;
    await Promise.all(
      Array.from({ length: HASHES_AT_ONCE }, async () => {
        while (performance.now() < end) {
          await verify(stored, PASSWORD);
          count += 1;
        }
      }),
    );
    return c.text(String(count / SECONDS));
  });
  serve({ fetch: app.fetch, port }, () => say('baselines are open'));
}

type Target = {
  /** The process ids of the server, the baselines, and a connection to PostgreSQL. */
  readonly pids: Readonly<Record<'server' | 'baseline' | 'backend', number>>;
  readonly apiUrl: string;
  readonly baselineUrl: string;
  readonly json: Record<string, string>;
  /** One header set per account. */
  readonly bearers: readonly Record<string, string>[];
};

const ACCOUNT = { email: 'bench0@example.com', password: PASSWORD };
const getEmail = (connection: number): string => `bench${connection}@example.com`;

async function post({ apiUrl, json }: Pick<Target, 'apiUrl' | 'json'>, path: string, body: unknown): Promise<Session> {
  const answer = await fetch(`${apiUrl}/auth/v1${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return readSession(await answer.text());
}

/** Refreshes once and reads from PostgreSQL the statement that the server has just run. */
async function readRotation(owner: pg.Client, server: Pick<Target, 'apiUrl' | 'json'>): Promise<string> {
  const { refresh_token } = await post(server, '/token?grant_type=password', ACCOUNT);
  await post(server, '/token?grant_type=refresh_token', { refresh_token });
  const { rows } = await owner.query<{ query: string; whole: boolean }>(
    `select query, octet_length(query) < pg_size_bytes(current_setting('track_activity_query_size')) - 1 as whole
     from pg_stat_activity where starts_with(usename, 'backend_') and datname = current_database() and starts_with(query, 'with rotated as')`,
  );
  if (rows[0]?.whole !== true) throw new Error('the statement of a refresh was not seen, or not all of it');
  return rows[0].query;
}

async function perSecond(url: string, path: string, make: Parameters<typeof load>[1]['make']): Promise<number> {
  const done = await load(url, { connections: CONNECTIONS, seconds: SECONDS, make });
  if (done.failed > 0) throw new Error(`${done.failed} of ${path} failed`);
  return done.perSecond;
}

/** Measures reads of sixteen accounts, each with its own token, per second. */
const measureUsers = ({ bearers }: Target, url: string, path: string): Promise<number> =>
  perSecond(url, path, (at) => ({ method: 'GET', path, headers: bearers[at % CONNECTIONS] ?? {} }));

/** Measures password checks per second; each connection uses a different account. */
function measurePasswordChecks({ json }: Target, url: string, path: string): Promise<number> {
  const bodies = Array.from({ length: CONNECTIONS }, (_, connection) =>
    JSON.stringify({ ...ACCOUNT, email: getEmail(connection) }),
  );
  return perSecond(url, path, (at) => ({ method: 'POST', path, headers: json, body: bodies[at % CONNECTIONS] ?? '' }));
}

const measureSignIns = (target: Target): Promise<number> =>
  measurePasswordChecks(target, target.apiUrl, '/auth/v1/token?grant_type=password');

type Ratios = Record<'user' | 'refresh' | 'signed' | 'loop' | 'route', number[]>;

async function measureUser(target: Target, ratios: Ratios): Promise<void> {
  const [ours, bare] = [
    await measureUsers(target, target.apiUrl, '/auth/v1/user'),
    await measureUsers(target, target.baselineUrl, '/verify'),
  ];
  ratios.user.push(ours / bare);
  say(
    `GET /user: ${ours.toFixed(0)}/s, a bare route that verifies a token ${bare.toFixed(0)}/s, ratio ${(ours / bare).toFixed(2)}`,
  );
}

/** Opens sessions of all accounts, half for the baseline. Returns functions that refresh them, or that call the route that only signs. */
async function openSessions(target: Target): Promise<Record<'ours' | 'bare' | 'signed', () => Promise<number>>> {
  const { apiUrl, baselineUrl, json } = target;
  const tokens: string[] = [];
  for (let index = 0; index < 2 * CONNECTIONS * SESSIONS_EACH; index += 1) {
    const email = getEmail(index % CONNECTIONS);
    tokens.push((await post(target, '/token?grant_type=password', { ...ACCOUNT, email })).refresh_token);
  }
  const [own, others] = [tokens.slice(0, tokens.length / 2), tokens.slice(tokens.length / 2)];
  const perSecond = (url: string, path: string, sessions: string[]): Promise<number> =>
    refreshInChains(url, { path, headers: json, sessions, seconds: SECONDS, connections: CONNECTIONS });
  return {
    ours: () => perSecond(apiUrl, '/auth/v1/token?grant_type=refresh_token', own),
    bare: () => perSecond(baselineUrl, '/rotate', others),
    signed: () => perSecond(baselineUrl, '/sign', [...own]),
  };
}

async function measureRefresh(target: Target, ratios: Ratios): Promise<void> {
  const { pids } = target;
  const refresh = await openSessions(target);
  const ours = await withTimes(pids.server, pids.backend, refresh.ours);
  const bare = await withTimes(pids.baseline, pids.backend, refresh.bare);
  const signed = await withTimes(pids.baseline, pids.backend, refresh.signed);
  ratios.refresh.push(ours.perSecond / bare.perSecond);
  ratios.signed.push(ours.perSecond / signed.perSecond);
  for (const [name, { perSecond, node, database, client }] of [
    ['refresh', ours],
    ['a bare route with the same statement that signs', bare],
    ['a bare route that only signs', signed],
  ] as const)
    say(
      `${name}: ${perSecond.toFixed(0)}/s, ratio ${(ours.perSecond / perSecond).toFixed(2)}; processor time: Node ${node.toFixed(0)} µs, PostgreSQL ${database.toFixed(0)} µs, client ${client.toFixed(0)} µs`,
    );
}

/** Returns requests per second, and the processor time for each in the server, in PostgreSQL and in this process, in microseconds. */
async function withTimes(
  server: number,
  backend: number,
  work: () => Promise<number>,
): Promise<Record<'perSecond' | 'node' | 'database' | 'client', number>> {
  const own = (): number => process.cpuUsage().user + process.cpuUsage().system;
  const before = [await processorTime(server), await postgresTime(backend), own() / 1e6] as const;
  const perSecond = await work();
  const each = (after: number, at: 0 | 1 | 2): number => ((after - before[at]) * 1e6) / (perSecond * SECONDS);
  return {
    perSecond,
    client: each(own() / 1e6, 2),
    node: each(await processorTime(server), 0),
    database: each(await postgresTime(backend), 1),
  };
}

async function measurePasswords(target: Target, ratios: Ratios): Promise<void> {
  const opened = await measureSignIns(target);
  const routed = await measurePasswordChecks(target, target.baselineUrl, '/hash');
  const hashed = Number(await (await fetch(`${target.baselineUrl}/hashes`)).text());
  ratios.loop.push(opened / hashed);
  ratios.route.push(opened / routed);
  say(
    `sign-in by password: ${opened.toFixed(1)}/s, the hash in a loop ${hashed.toFixed(1)}/s, ratio ${(opened / hashed).toFixed(2)}; ` +
      `a bare route that hashes ${routed.toFixed(1)}/s, ratio ${(opened / routed).toFixed(2)}`,
  );
}

function report(name: string, ratios: readonly number[], goal: number | null): void {
  if (ratios.length === 0) return;
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  const goalText = goal === null ? '' : `, goal ${goal.toFixed(2)}`;
  say(`${name}: ${median(ratios).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)}${goalText})`);
}

async function main(): Promise<void> {
  const server = await openBenchServer({ AUTH_AUTOCONFIRM: 'true' });
  const { apiUrl, anonKey } = server.runtime;
  const json = { apikey: anonKey, 'content-type': 'application/json' };
  const tokens: string[] = [];
  for (let connection = 0; connection < CONNECTIONS; connection += 1)
    tokens.push((await post({ apiUrl, json }, '/signup', { ...ACCOUNT, email: getEmail(connection) })).access_token);
  const owner = new pg.Client({ connectionString: server.databaseUrl });
  await owner.connect();
  const bare: Bare = {
    keys: JSON.parse(await (await fetch(`${apiUrl}/auth/v1/.well-known/jwks.json`)).text()),
    databaseUrl: server.databaseUrl,
    rotation: await readRotation(owner, { apiUrl, json }),
  };
  const port = server.ports + 9;
  const baselines = spawn(process.execPath, [import.meta.filename, 'baselines', String(port), JSON.stringify(bare)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => baselines.stdout.once('data', resolve));
  const bearers = tokens.map((token) => ({ apikey: anonKey, authorization: `Bearer ${token}` }));
  const backend = Number((await owner.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid);
  const pids = { server: server.runtime.pid, baseline: baselines.pid ?? 0, backend };
  const target = { pids, apiUrl, baselineUrl: `http://localhost:${port}`, json, bearers };

  const ratios: Ratios = { user: [], refresh: [], signed: [], loop: [], route: [] };
  const cases: readonly (readonly [string, () => Promise<unknown>, () => Promise<unknown>])[] = [
    [
      'user',
      async () => [
        await measureUsers(target, apiUrl, '/auth/v1/user'),
        await measureUsers(target, target.baselineUrl, '/verify'),
      ],
      () => measureUser(target, ratios),
    ],
    [
      'refresh',
      async () => {
        const refresh = await openSessions(target);
        return [await refresh.ours(), await refresh.bare(), await refresh.signed()];
      },
      () => measureRefresh(target, ratios),
    ],
    [
      'passwords',
      () => measureSignIns(target),
      async () => {
        for (let turn = 0; turn < ROUNDS; turn += 1) await measurePasswords(target, ratios);
      },
    ],
  ];
  const selected = process.argv.slice(2);
  const chosen = cases.filter(([name]) => selected.length === 0 || selected.includes(name));
  for (const [, warmUp] of chosen) await warmUp();
  for (let round = 0; round < ROUNDS; round += 1) for (const [, , measure] of chosen) await measure();
  report('GET /user beside a bare route that verifies', ratios.user, 1);
  report('refresh beside a bare route with the same statement that signs', ratios.refresh, 0.5);
  report('refresh beside a bare route that only signs', ratios.signed, null);
  report('sign-in beside a bare route that hashes', ratios.route, 0.8);
  report('sign-in beside the hash in a loop, without HTTP', ratios.loop, 0.8);
  await owner.end();
  baselines.kill('SIGTERM');
  await server.close();
}

const [, , what, port = '0', bare = '{}'] = process.argv;
if (what === 'baselines') await serveBaselines(Number(port), JSON.parse(bare));
else await main();
