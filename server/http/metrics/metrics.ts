import cluster from 'node:cluster';
import type { Database } from '#server/db/database.ts';
import type { ClassLoad } from '#server/db/work-class.ts';
import { readAllMetrics } from './cluster-metrics.ts';
import type { Overload } from '../overload.ts';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = {
  observe(api: string, method: string, status: number, seconds: number): void;
  /** Registers a value that is read at each scrape. */
  gauge(name: string, help: string, read: () => Promise<number>): void;
  /** Registers values with one label, which are read at each scrape. */
  labelled(name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void;
  text(): Promise<string>;
};

/** Prometheus metrics. Labels never hold an id, an address or a person. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered',
    labelNames: ['api', 'method', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'http_request_seconds',
    help: 'Time to answer',
    labelNames: ['api'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return {
    observe(api, method, status, seconds) {
      requests.inc({ api, method, status: String(status) });
      durations.observe({ api }, seconds);
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read());
        },
      });
    },
    labelled(name, help, label, read) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        collect() {
          for (const [value, count] of Object.entries(read())) this.set({ [label]: value }, count);
        },
      });
    },
    text: cluster.worker ? readAllMetrics(registry, cluster.worker.id) : () => registry.metrics(),
  };
}

/** Registers how many statements wait for the database and how many were refused, by class of work. */
export function measureDatabase(metrics: Metrics, db: Pick<Database, 'load'>): void {
  const read = (of: (load: ClassLoad) => number) => () =>
    Object.fromEntries(Object.entries(db.load()).map(([name, load]) => [name, of(load)]));
  metrics.labelled(
    'database_waiting',
    'Statements that wait for a connection',
    'class',
    read((load) => load.waiting),
  );
  metrics.labelled(
    'database_refused_total',
    'Statements refused because too many waited, or because they waited too long',
    'class',
    read((load) => load.refused),
  );
}

/** Registers the requests in progress and those refused under overload. */
export function measureOverload(metrics: Metrics, overload: Pick<Overload, 'inProgress' | 'refused'>): void {
  metrics.labelled('requests_in_progress', 'Requests to the APIs in progress', 'kind', overload.inProgress);
  metrics.labelled(
    'requests_refused_total',
    'Requests refused because too many were in progress',
    'kind',
    overload.refused,
  );
}
