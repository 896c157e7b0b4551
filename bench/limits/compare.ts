import type pg from 'pg';
import { type BareRoute, BODY, startBareRoute } from './bare-route.ts';
import { GO_PACKAGES, startGoRoute } from './go-route.ts';
import type { CallerRequest } from '../callers/connection.ts';
import { type Load, load, median } from '../callers/load.ts';
import { pgbenchAs } from './pgbench.ts';
import { perRequest } from '../callers/processor-time.ts';

/** The number of callers of the server, of the bare route and of pgbench. */
export const CALLERS = 32;
/** The server's default POOL_SIZE. */
const POOL_SIZE = 10;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 2);
/** Load on each side before the first round, while Node compiles. This takes longer for a large program than for a small one. */
const WARM_UP_SECONDS = 8;
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);

export const say = (line: string): void => void process.stdout.write(`${line}\n`);
export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en-AU')}/s`;

/** A median with the lowest and the highest value. */
export function spread(values: readonly number[], digits = 2): string {
  return `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;
}

/** One path of the API and the limits with which it is compared. */
export type Case = {
  readonly name: string;
  /** The least acceptable ratio to the bare route. */
  readonly goal: number;
  readonly role: string;
  readonly claims: string;
  /** `plan_cache_mode` of the server's transaction, which the limits also set. */
  readonly planMode: 'auto' | 'force_generic_plan';
  /** The variants that requests use in turn: a request, and the values of `$1`, `$2` … of its statement. */
  readonly variants: readonly { readonly request: CallerRequest; readonly values: readonly string[] }[];
  /** A text that identifies the statement in the list of running statements. */
  readonly marker: string;
  /** The text that pgbench sends in place of `BODY`. */
  readonly body?: string;
  /** Whether a Go route with pgx is measured too, if Go is installed. */
  readonly go?: boolean;
};

export type Target = {
  readonly url: string;
  /** The process id of the server. */
  readonly pid: number;
  /** The URL for a superuser. */
  readonly databaseUrl: string;
  readonly owner: pg.Client;
  /** A free port. */
  readonly port: number;
};

/**
 * Compares one path with a bare hono + pg route and pipelined pgbench, measured one after the other in each round. All three run the text of the statement that the server
 * sends, with the same values and as many callers. Throws if the answer of the bare route differs from the server's.
 */
export async function compare(benchCase: Case, target: Target): Promise<void> {
  const { variants, role, claims, planMode } = benchCase;
  const at = (index: number): CallerRequest => variants[index % variants.length]?.request ?? raise('no variants');
  const ours = (): Promise<Turn> => takeTurn(target.pid, target.url, at);
  await load(target.url, { connections: CALLERS, seconds: WARM_UP_SECONDS, make: at });
  const text = await readStatement(benchCase, target);
  const values = variants.map((variant) => variant.values);
  const route: BareRoute = {
    databaseUrl: target.databaseUrl,
    port: target.port,
    poolSize: POOL_SIZE,
    role,
    claims,
    planMode,
    text,
    values,
    status: at(0).method === 'POST' ? 201 : 200,
  };
  const bareProcess = await startBareRoute(route);
  try {
    const bareUrl = `http://127.0.0.1:${target.port}`;
    const toBare = (index: number): CallerRequest => ({ ...at(index), path: `/?at=${index}`, headers: {} });
    await requireSameAnswer(target.url, at(0), bareUrl, toBare(0));
    await load(bareUrl, { connections: CALLERS, seconds: WARM_UP_SECONDS, make: toBare });
    const bare = (): Promise<Turn> => takeTurn(bareProcess.pid ?? 0, bareUrl, toBare);
    const statement = {
      text,
      values: values.map((list) => list.map((value) => (value === BODY ? `[${benchCase.body ?? ''}]` : value))),
    };
    const limit = (): Promise<number> =>
      pgbenchAs(target.databaseUrl, { role, claims, planMode }, statement, { connections: CALLERS, seconds: SECONDS });
    await report(benchCase, { ours, bare, limit });
  } finally {
    bareProcess.kill();
  }
  if (benchCase.go) await compareWithGo({ ...route, port: target.port + 1 }, target.url, at, ours);
}

/** Prints the ratio to a Go net/http + pgx route. It is for information only, because Go uses all cores. */
async function compareWithGo(
  route: BareRoute,
  url: string,
  at: (index: number) => CallerRequest,
  ours: () => Promise<Turn>,
): Promise<void> {
  const child = await startGoRoute(route);
  if (child === null) return say(`  Go net/http + pgx: not measured without the Debian packages ${GO_PACKAGES}`);
  try {
    const goUrl = `http://127.0.0.1:${route.port}`;
    const toGo = (index: number): CallerRequest => ({ ...at(index), path: `/?at=${index}`, headers: {} });
    await requireSameAnswer(url, at(0), goUrl, toGo(0));
    const rounds: { ours: Turn; go: Turn }[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push({ ours: await ours(), go: await takeTurn(child.pid ?? 0, goUrl, toGo) });
    if (rounds.some(({ go }) => go.failed > 0)) throw new Error('requests to the Go route failed');
    say(
      `  compared with Go net/http + pgx ${spread(rounds.map((round) => round.ours.perSecond / round.go.perSecond))}: ` +
        `${perSecond(median(rounds.map(({ go }) => go.perSecond)))}, ` +
        `processor time in Go ${median(rounds.map(({ go }) => go.microseconds)).toFixed(0)} µs a request`,
    );
  } finally {
    child.kill();
  }
}

/** `microseconds`: the processor time of the server's process for each request, which other work on the machine hardly changes. */
type Turn = Load & { readonly microseconds: number };

async function takeTurn(pid: number, url: string, make: (at: number) => CallerRequest): Promise<Turn> {
  const work = (): Promise<Load> => load(url, { connections: CALLERS, seconds: SECONDS, make });
  const { result, microseconds } = await perRequest(pid, work, ({ count }) => count);
  return { ...result, microseconds };
}

type Sides = {
  readonly ours: () => Promise<Turn>;
  readonly bare: () => Promise<Turn>;
  readonly limit: () => Promise<number>;
};

async function report(benchCase: Case, { ours, bare, limit }: Sides): Promise<void> {
  const rounds: { ours: Turn; bare: Turn; limit: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push({ ours: await ours(), bare: await bare(), limit: await limit() });
  const failed = rounds.reduce((sum, round) => sum + round.ours.failed + round.bare.failed, 0);
  if (failed > 0) throw new Error(`${benchCase.name}: ${failed} requests failed`);
  const middle = (of: (round: (typeof rounds)[number]) => number): number => median(rounds.map(of));
  say(
    `${benchCase.name}: ${perSecond(middle((round) => round.ours.perSecond))}, median ${middle((round) => round.ours.medianMs).toFixed(2)} ms; ` +
      `bare hono + pg ${perSecond(middle((round) => round.bare.perSecond))}; pgbench pipelined ${perSecond(middle((round) => round.limit))}`,
  );
  const toBare = rounds.map((round) => round.ours.perSecond / round.bare.perSecond);
  const toLimit = rounds.map((round) => round.ours.perSecond / round.limit);
  const verdict = median(toBare) >= benchCase.goal ? '' : ' MISSED';
  say(
    `  compared with bare hono + pg ${spread(toBare)}, goal ${benchCase.goal.toFixed(2)}${verdict}; with pgbench ${spread(toLimit)}; ` +
      `processor time in Node ${middle((round) => round.ours.microseconds).toFixed(0)} µs a request, bare ${middle((round) => round.bare.microseconds).toFixed(0)} µs`,
  );
}

/** Reads from PostgreSQL the statement that the server has just run. */
async function readStatement({ name, marker }: Case, { owner }: Target): Promise<string> {
  const { rows } = await owner.query<{ query: string }>(
    `select query from pg_stat_activity where starts_with(usename, 'authenticator_') and datname = current_database() and position($1 in query) > 0 limit 1`,
    [marker],
  );
  const text = rows[0]?.query ?? raise(`${name}: no statement was seen`);
  // By default PostgreSQL shows only 1,023 bytes (track_activity_query_size).
  return text.length < 1_000 ? text : raise(`${name}: the statement is too long to be read`);
}

async function requireSameAnswer(
  url: string,
  request: CallerRequest,
  bareUrl: string,
  bareRequest: CallerRequest,
): Promise<void> {
  const fetchBody = async (base: string, { path, method, headers, body }: CallerRequest): Promise<string> =>
    (await fetch(base + path, { method, headers, ...(body === undefined ? {} : { body }) })).text();
  const [ours, bare] = [await fetchBody(url, request), await fetchBody(bareUrl, bareRequest)];
  if (ours !== bare) throw new Error(`the bare route answers ${bare.slice(0, 200)}, our server ${ours.slice(0, 200)}`);
}

function raise(message: string): never {
  throw new Error(message);
}
