import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = {
  observe(api: string, method: string, status: number, seconds: number): void;
  /** Registers a value that is read at each scrape. */
  gauge(name: string, help: string, read: () => Promise<number>): void;
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
    text: () => registry.metrics(),
  };
}
