import type { Database } from '#server/db/database.ts';
import type { Messages } from '../core/ports.ts';
import type { Broadcast } from '../core/frames.ts';

export type MessageRow = {
  readonly id: string;
  readonly event: string | null;
  /** JSON text. */
  readonly payload: string | null;
  readonly bytes: Uint8Array | null;
};

/** Maximum time for which a message is kept. Afterwards the database deletes its partition. */
const LONGEST_SECONDS = 72 * 3600;

/** Reads and stores messages of private topics in `realtime.messages`. */
export function createStoredMessages(db: Database): Messages {
  return {
    async replay(topic, since, limit) {
      const { rows } = await db.query<MessageRow>(
        `select id::text as id, event, payload::text as payload, binary_payload as bytes from (
           select * from realtime.messages
           where topic = $1 and extension = 'broadcast' and private and inserted_at >= (to_timestamp($2::numeric / 1000) at time zone 'utc')
             and (expires_at is null or expires_at > clock_timestamp())
           order by inserted_at desc limit $3::int
         ) newest order by inserted_at`,
        [topic, since, limit],
      );
      return rows.map((row) => ({ id: row.id, broadcast: toBroadcast(row, { replayed: true, id: row.id }) }));
    },
    async store(topic, broadcast, seconds) {
      const lifetime = seconds === null ? null : Math.min(seconds, LONGEST_SECONDS);
      const { body, event } = broadcast;
      const row = await db.queryRow<{ id: string }>(
        `insert into realtime.messages (topic, extension, event, payload, binary_payload, private, skip_broadcast, expires_at)
         values ($1, 'broadcast', $2, $3::jsonb, $4::bytea, true, true, clock_timestamp() + $5::numeric * interval '1 second')
         returning id::text as id`,
        [topic, event, 'json' in body ? body.json : null, 'bytes' in body ? body.bytes : null, lifetime],
      );
      if (!row) throw new Error('a message was not stored');
      return row.id;
    },
  };
}

/** Returns the broadcast that a row of `realtime.messages` holds. */
export function toBroadcast({ event, payload, bytes }: Omit<MessageRow, 'id'>, meta: Broadcast['meta']): Broadcast {
  return { event: event ?? '', body: bytes === null ? { json: payload ?? '{}' } : { bytes }, meta };
}
