import type pg from 'pg';
import type { App } from '#server/compose.ts';
import { STUDIO_A } from '#tests/support/test-server.ts';
import { timed, type Times } from './calls.ts';

/**
 * Ends queued mails, because sending the reminders and thanks of all bookings would take as long as a round, or the whole measurement.
 */
export const END_MAILS = 'update private.outbox set done_at = now() where done_at is null and closed_at is null';
/** Makes twenty items due for a task, among all that are done. Runs as the owner, without triggers. */
const DUE: Readonly<Record<string, readonly string[]>> = {
  'worker mail': [
    END_MAILS,
    `insert into private.outbox (kind, subject_id, dedupe, due_at)
     select 'mail.payment-processing', b.id, gen_random_uuid()::text, now() from (select id from private.booking where status = 'confirmed' limit 20) b`,
  ],
  'release expired holds': [
    `insert into private.booking (reference, studio_id, studio_name, start_time, end_time, status, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
     select private.new_reference(), '${STUDIO_A}', 'Studio A', day + n * interval '1 hour', day + (n + 1) * interval '1 hour', 'pending', now(), 1, 4900, 4900
     from generate_series(0, 19) n, (select date_trunc('day', now()) + interval '60 days' as day) d`,
  ],
  'reconcile payments': [
    `delete from private.lease where name = 'reconcile'`,
    `insert into private.webhook_inbox (provider, event_id, type, object_id, handled_at)
     select 'stripe', gen_random_uuid()::text, 'product.created', 'none', now() - interval '40 days' from generate_series(1, 20)`,
  ],
  'alert the owner to failing jobs': [
    `delete from private.outbox where kind in ('mail.job-alert', 'test.failing') and done_at is null`,
    `insert into private.outbox (kind, subject_id, due_at, alerted_at) select 'test.failing', gen_random_uuid(), now(), now() from generate_series(1, 20)`,
  ],
  'handle stored webhooks': [
    `insert into private.webhook_inbox (provider, event_id, type, object_id) select 'stripe', gen_random_uuid()::text, 'product.created', 'none' from generate_series(1, 20)`,
  ],
  'delete expired sign-in data': [
    `insert into auth.used_proofs (proof_hash, expires_at) select gen_random_uuid()::text, now() - interval '2 hours' from generate_series(1, 20)`,
  ],
  'delete full rate limits': [
    `insert into private.rate_bucket (name, key, full_at) select 'test', gen_random_uuid()::text, now() from generate_series(1, 20)`,
  ],
  'delete unreferenced files': [
    `insert into storage.deletion_queue (storage_key, delete_at) select 'objects/' || gen_random_uuid(), now() from generate_series(1, 20)`,
  ],
  'worker locks': [],
  'worker payments': [],
  'read the staff accounts': [],
};

/** Times each periodic task. */
export async function jobRounds(app: App, owner: pg.Client, rounds: number): Promise<Times> {
  const times: Times = new Map();
  for (const [task, statements] of Object.entries(DUE)) {
    for (let round = 0; round < rounds; round += 1) {
      await owner.query('set session_replication_role = replica');
      for (const statement of statements) await owner.query(statement);
      await owner.query('reset session_replication_role');
      await timed(times, `job: ${task}`, () => app.scheduler.run([task]));
    }
  }
  return times;
}
