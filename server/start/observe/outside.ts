import type { Spans } from '#server/db/spans.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import { createMetrics } from '#server/http/metrics/metrics.ts';
import { createCircuits } from './circuits.ts';
import { measureBookings } from './bookings.ts';
import { observeCalls } from './provider-calls.ts';
import type { Queryable } from '#server/db/database.ts';

/** Opens the metrics and the observers of providers: their circuit breakers, the record of each call, and the count of payment outcomes. */
export function openOutside({
  db,
  clock,
  log,
  spans,
}: {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly log: Log;
  readonly spans: Spans | null;
}) {
  const metrics = createMetrics();
  const observe = observeCalls(metrics, { db, clock, log });
  const { circuits, make: createBreaker } = createCircuits({ clock, log, spans, observe });
  return { metrics, observe, count: measureBookings(metrics, db, clock), circuits, createBreaker };
}
