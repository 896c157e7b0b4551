import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = {
  observe(door: string, method: string, status: number, seconds: number): void;
  /** Registers a number that is asked for when the page is read. */
  gauge(name: string, help: string, ask: () => Promise<number>): void;
  text(): Promise<string>;
};

/** Figures for Prometheus; no label ever holds an id, an address or a person. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered',
    labelNames: ['door', 'method', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'http_request_seconds',
    help: 'Time to answer',
    labelNames: ['door'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return {
    observe(door, method, status, seconds) {
      requests.inc({ door, method, status: String(status) });
      durations.observe({ door }, seconds);
    },
    gauge(name, help, ask) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await ask());
        },
      });
    },
    text: () => registry.metrics(),
  };
}
