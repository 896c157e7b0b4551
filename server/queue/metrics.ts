import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { Metrics } from '#server/http/metrics/metrics.ts';

export function measureQueue(metrics: Metrics, db: Database, clock: Clock): void {
  const open = 'done_at is null and closed_at is null';
  const read = async (text: string): Promise<number> => (await db.queryRow<{ n: number }>(text, [clock()]))?.n ?? 0;
  metrics.gauge('outbox_waiting', 'Jobs that are due and not done', () =>
    read(`select count(*)::int as n from private.outbox where ${open} and due_at <= $1::timestamptz`),
  );
  metrics.gauge('outbox_failing', 'Open jobs that a person was alerted to: they failed three times or more', () =>
    read(
      `select count(*)::int as n from private.outbox where ${open} and alerted_at is not null and $1::timestamptz is not null`,
    ),
  );
  metrics.gauge('outbox_closed', 'Jobs closed without success: by a person, or because their moment passed', () =>
    read(
      `select count(*)::int as n from private.outbox where done_at is null and closed_at is not null and $1::timestamptz is not null`,
    ),
  );
  metrics.gauge(
    'outbox_oldest_seconds',
    'Age of the oldest job that is not done, counted from when it was first due',
    () =>
      read(
        `select coalesce(extract(epoch from max($1::timestamptz - created_at)), 0)::float8 as n from private.outbox
       where ${open} and due_at <= $1::timestamptz`,
      ),
  );
}
