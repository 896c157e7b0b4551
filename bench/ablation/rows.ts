import { readFile } from 'node:fs/promises';
import type { Runtime } from '#tests/support/server-process.ts';
import { availabilityPaths, DAY } from '../callers/availability.ts';
import { callAtRate, callSteadily, type CallerRequest, quantile } from '../callers/connection.ts';
import { HOUR, holdRequest } from '../callers/holds.ts';
import { load } from '../callers/load.ts';
import { refreshInChains } from '../callers/refresh.ts';
import { lightCallers, sendExpensive } from '../fair/callers.ts';
import { perRequest } from '../callers/processor-time.ts';
import { LAST } from '../rows/bookings.ts';

/** A server that is measured, and the credentials of its callers. */
export type Side = {
  readonly runtime: Runtime;
  readonly startMs: number;
  /** The tokens of customers. */
  readonly customers: readonly [string, ...string[]];
  readonly staff: string;
  /** The newest refresh tokens of sessions that no other caller uses. */
  readonly sessions: string[];
  /** Releases the held hours. */
  removeHolds(): Promise<void>;
};

/** One line of the table. `measure` returns figures by name. */
export type Row = { readonly name: string; measure(side: Side): Promise<Readonly<Record<string, number>>> };
export const MORE_IS_BETTER: ReadonlySet<string> = new Set(['per second', 'accepted per second']);

const CALLERS = 32;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 2);
const FAIR_SECONDS = 2 * SECONDS;
const PAUSE_MS = 20;
/** The offered requests under overload, as a multiple of those that the server can answer. */
const OVERLOAD = 3;
const CONNECTIONS = 1_000;
const POINTS = 200_000;
const FIRST_TOWN = Date.UTC(2000, 0, 1);
/** Holds take consecutive hours, from the end of the last booking. */
const HOLDS_FROM = Date.parse(LAST);
/** More hours than a run of light callers holds. Each run takes later ones, because the embedded database keeps the holds of the run before. */
const FAIR_HOURS = 100;
let fairRuns = 0;

const AVAILABILITY = availabilityPaths(Date.parse(LAST) - 30 * DAY, 28);

type Make = (side: Side, at: number) => CallerRequest;

const get = (path: string, { runtime }: Side, token?: string): CallerRequest => ({
  method: 'GET',
  path,
  headers: { apikey: runtime.anonKey, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
});
const availabilityPath = (at: number): string => AVAILABILITY[at % AVAILABILITY.length] ?? '';

/** Measures requests per second of 32 callers, and the server's processor time for each in microseconds. */
const throughput = (name: string, make: Make): Row => ({
  name,
  async measure(side) {
    const { apiUrl, pid } = side.runtime;
    const sendAll = () => load(apiUrl, { connections: CALLERS, seconds: SECONDS, make: (at) => make(side, at) });
    const { result, microseconds } = await perRequest(pid, sendAll, ({ count }) => count);
    if (result.failed > 0) throw new Error(`${name}: ${result.failed} of ${result.count} requests failed`);
    return { 'per second': result.perSecond, 'µs of Node': microseconds };
  },
});

function townsWithin(select: string, hours: number): Make {
  return (side, at) => {
    const from = FIRST_TOWN + ((at * 7_919) % (POINTS / 24 - 3)) * DAY;
    const [start, end] = [from, from + hours * HOUR].map((time) => new Date(time).toISOString());
    return get(`/rest/v1/bench_town?select=${select}&at=gte.${start}&at=lt.${end}`, side);
  };
}

const insertNote: Make = ({ runtime, customers: [customer] }) => ({
  method: 'POST',
  path: '/rest/v1/bench_note',
  headers: { apikey: runtime.anonKey, authorization: `Bearer ${customer}`, 'content-type': 'application/json' },
  body: '{"line":"note 1"}',
});

const refreshes: Row = {
  name: 'refresh',
  measure: async ({ runtime, sessions }) => {
    const headers = { apikey: runtime.anonKey, 'content-type': 'application/json' };
    const path = '/auth/v1/token?grant_type=refresh_token';
    const options = { path, headers, sessions, seconds: SECONDS, connections: CALLERS };
    return { 'per second': await refreshInChains(runtime.apiUrl, options) };
  },
};

/** Measures holds of the next free hours, by all customers in turn. */
const holding: Row = {
  name: 'hold',
  measure: async ({ runtime, customers, removeHolds }) => {
    await removeHolds();
    const make = (at: number): CallerRequest =>
      holdRequest(customers[at % customers.length] ?? customers[0], at, HOLDS_FROM);
    const { count, failed, perSecond } = await load(runtime.apiUrl, { connections: CALLERS, seconds: SECONDS, make });
    if (failed > 0) throw new Error(`${failed} of ${count} holds failed`);
    return { 'per second': perSecond };
  },
};

/** Measures the 99th percentile of each light caller next to twelve guests with expensive reads, and returns the longest. */
const fairness: Row = {
  name: 'light callers during expensive reads',
  measure: async ({ runtime, customers, removeHolds }) => {
    await removeHolds();
    const { apiUrl: url, anonKey } = runtime;
    const target = { url, anonKey, token: customers[0] };
    const until = performance.now() + FAIR_SECONDS * 1_000;
    const heavy = sendExpensive(target, until);
    const answers = await Promise.all(
      lightCallers(target, HOLDS_FROM + FAIR_HOURS * HOUR * fairRuns++).map(({ make }) =>
        callSteadily(url, { until, pauseMs: PAUSE_MS, make }),
      ),
    );
    await heavy;
    const slowest = answers.map((all) =>
      quantile(
        all.map(({ ms }) => ms),
        0.99,
      ),
    );
    return { 'p99 in ms': Math.max(...slowest) };
  },
};

const overload: Row = {
  name: 'three times the capacity',
  measure: async (side) => {
    const { apiUrl } = side.runtime;
    const make = (at: number): CallerRequest =>
      get(availabilityPath(at), side, at % 4 === 1 ? side.customers[0] : undefined);
    const { perSecond } = await load(apiUrl, { connections: CALLERS, seconds: SECONDS, make });
    const offered = { connections: CONNECTIONS, perSecond: perSecond * OVERLOAD, seconds: FAIR_SECONDS, make };
    const answers = await callAtRate(apiUrl, offered);
    const getTimes = (refused: boolean): number[] =>
      answers.filter(({ status }) => (status === 503) === refused).map(({ ms }) => ms);
    return {
      'accepted per second': getTimes(false).length / FAIR_SECONDS,
      'p99 of accepted in ms': quantile(getTimes(false), 0.99),
      'p99 of refused in ms': quantile(getTimes(true), 0.99),
    };
  },
};

const memory: Row = {
  name: 'after all of these',
  measure: async ({ runtime, startMs }) => {
    const status = await readFile(`/proc/${runtime.pid}/status`, 'utf8');
    return { 'MB in memory': Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024, 'start in ms': startMs };
  },
};

export const POSTGRES_ROWS: readonly Row[] = [
  throughput('availability, guest', (side, index) => get(availabilityPath(index), side)),
  throughput('availability, customer', (side, index) => get(availabilityPath(index), side, side.customers[0])),
  throughput('availability, staff', (side, index) => get(availabilityPath(index), side, side.staff)),
  throughput('point', (side, index) =>
    get(`/rest/v1/bench_town?select=id,name,note&id=eq.${1 + ((index * 7_919) % POINTS)}`, side),
  ),
  throughput('range', townsWithin('id,name,at', 48)),
  throughput('embedded', townsWithin('id,name,bench_land(id,name)', 24)),
  throughput('insert', insertNote),
  throughput('GET /user', (side) => get('/auth/v1/user', side, side.customers[0])),
  refreshes,
  holding,
  fairness,
  overload,
  memory,
];

export const EMBEDDED_ROWS: readonly Row[] = [
  throughput('availability, guest', (side, index) => get(availabilityPath(index), side)),
  throughput('availability, customer', (side, index) => get(availabilityPath(index), side, side.customers[0])),
  throughput('GET /user', (side) => get('/auth/v1/user', side, side.customers[0])),
  fairness,
  memory,
];
