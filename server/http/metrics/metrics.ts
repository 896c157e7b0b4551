import cluster from 'node:cluster';
import type { Database } from '#server/db/database.ts';
import type { ClassLoad } from '#server/db/work-class.ts';
import { readAllMetrics } from './cluster-metrics.ts';
import type { Overload } from '../overload.ts';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Numbers by the value of one label. */
type ByLabel = Readonly<Record<string, number>>;

export type Metrics = {
  observe(api: string, method: string, status: number, seconds: number): void;
  /** Registers a value that is read at each scrape. A scrape omits the sample if the reading fails or takes too long. */
  gauge(name: string, help: string, read: () => Promise<number>): void;
  /** Registers values with one label, which are read at each scrape like those of `gauge`. */
  labelled(name: string, help: string, label: string, read: () => ByLabel | Promise<ByLabel>): void;
  /** Registers counts since the start with one label, which are read at each scrape. `name` ends in `_total`. */
  totals(name: string, help: string, label: string, read: () => ByLabel): void;
  /** Registers a counter with one label that has these values, and returns the function that counts. `name` ends in `_total`. */
  counter<const V extends string>(name: string, help: string, label: string, values: readonly V[]): (value: V) => void;
  /** Registers durations in seconds and returns the function that adds one. `name` ends in `_seconds`. */
  durations<const L extends string>(
    name: string,
    help: string,
    labels: readonly L[],
  ): (values: Readonly<Record<L, string>>, seconds: number) => void;
  text(): Promise<string>;
};

const REQUEST_BUCKETS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** Buckets in seconds for calls of providers, which take at most the longest budget of `guarded.ts`. */
const CALL_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Readings that take longer are omitted from the scrape, so that it ends within Prometheus's default of ten seconds. */
const READ_MS = 3_000;
/** A database that does not answer within this time is down. It is shorter than `READ_MS`, so that the gauge can still report it. */
const UP_MS = 2_000;

/** Creates Prometheus metrics. Labels never contain an id, an address or a name of a person. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered',
    labelNames: ['api', 'method', 'status'],
    registers,
  });
  const times = new Histogram({
    name: 'http_request_seconds',
    help: 'Time to answer',
    labelNames: ['api'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  return {
    ...createReaders(registry),
    observe(api, method, status, seconds) {
      requests.inc({ api, method, status: String(status) });
      times.observe({ api }, seconds);
    },
    counter(name, help, label, values) {
      const counter = new Counter({ name, help, labelNames: [label], registers });
      // Without a first sample of 0, Prometheus would not see the first increase.
      for (const value of values) counter.inc({ [label]: value }, 0);
      return (value) => counter.inc({ [label]: value });
    },
    durations(name, help, labels) {
      const histogram = new Histogram({ name, help, labelNames: [...labels], buckets: CALL_BUCKETS, registers });
      return (values, seconds) => histogram.observe({ ...values }, seconds);
    },
    text: cluster.worker ? readAllMetrics(registry, cluster.worker.id) : () => registry.metrics(),
  };
}

/** Metrics that are read at each scrape. */
function createReaders(registry: Registry): Pick<Metrics, 'gauge' | 'labelled' | 'totals'> {
  const registers = [registry];
  return {
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          const value = await readInTime(read);
          // A gauge without labels keeps its last value, so a value from before the failure would look current.
          if (value === null) this.remove();
          else this.set(value);
        },
      });
    },
    labelled(name, help, label, read) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        async collect() {
          const values = await readInTime(read);
          this.reset();
          for (const [value, count] of Object.entries(values ?? {})) this.set({ [label]: value }, count);
        },
      });
    },
    totals(name, help, label, read) {
      new Counter({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
        },
      });
    },
  };
}

/**
 * Returns null if the reading fails or takes too long. All readings from the database do so while it is down, when the others are needed
 * most.
 */
async function readInTime<T>(read: () => T | Promise<T>, ms = READ_MS): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([read(), late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** Registers the numbers of statements that wait for the database and that were refused, by class of work. */
export function measureDatabase(metrics: Metrics, db: Pick<Database, 'load' | 'queryRow'>): void {
  const read = (of: (load: ClassLoad) => number) => () =>
    Object.fromEntries(Object.entries(db.load()).map(([name, load]) => [name, of(load)]));
  metrics.gauge('database_up', 'Whether the database answers: 1 or 0', () =>
    readInTime(() => db.queryRow('select'), UP_MS).then((row) => (row === null ? 0 : 1)),
  );
  metrics.labelled(
    'database_waiting',
    'Statements that wait for a connection',
    'class',
    read((load) => load.waiting),
  );
  metrics.totals(
    'database_refused_total',
    'Statements refused because too many waited, or because they waited too long',
    'class',
    read((load) => load.refused),
  );
}

/** Registers the requests in progress and those refused under overload. */
export function measureOverload(metrics: Metrics, overload: Pick<Overload, 'inProgress' | 'refused'>): void {
  metrics.labelled('requests_in_progress', 'Requests to the APIs in progress', 'kind', overload.inProgress);
  metrics.totals(
    'requests_refused_total',
    'Requests refused because too many were in progress',
    'kind',
    overload.refused,
  );
}
