import type { Database } from '#server/db/database.ts';

/** The tables whose changes the triggers write to the outbox. */
export type Interest = {
  /** Resolves when every change that is committed later is captured. */
  add(relations: readonly string[]): Promise<void>;
  /** Renews the interest in these tables. */
  renew(relations: readonly string[]): Promise<void>;
  stop(): Promise<void>;
};

/** Interest outlives its subscribers, so that a page that is opened again does not wait. */
const KEPT_MINUTES = 10;
const POLL_MS = 5;
/** How long a subscription waits for transactions that began before it. */
const WAIT_MAX_MS = 5_000;

export function createInterest(db: Database, process: string): Interest {
  const known = new Set<string>();

  /** Messages sent by the database are always of interest. */
  async function write(relations: readonly string[]): Promise<void> {
    await db.query(
      `insert into realtime.interest (relation, process, until)
       select relation, $2::uuid, clock_timestamp() + $3::int * interval '1 minute'
       from (select unnest($1::oid[]) union select 'realtime.messages'::regclass::oid) as wanted (relation)
       on conflict (relation, process) do update set until = excluded.until`,
      [relations, process, KEPT_MINUTES],
    );
  }

  return {
    async add(relations) {
      const fresh = relations.filter((relation) => !known.has(relation));
      if (fresh.length === 0) return;
      await write(fresh);
      if (db.kind === 'postgres') await waitForRunningTransactions(db);
      for (const relation of fresh) known.add(relation);
    },
    async renew(relations) {
      known.clear();
      for (const relation of relations) known.add(relation);
      await write(relations);
    },
    async stop() {
      await db.query('delete from realtime.interest where process = $1::uuid', [process]).catch(() => undefined);
    },
  };
}

/** Waits until the transactions that run now have ended: they may have written before the interest was visible. */
async function waitForRunningTransactions(db: Database): Promise<void> {
  const row = await db.one<{ next: string }>('select pg_snapshot_xmax(pg_current_snapshot())::text as next');
  const deadline = performance.now() + WAIT_MAX_MS;
  for (;;) {
    const oldest = await db.one<{ done: boolean }>(
      'select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as done',
      [row?.next ?? '0'],
    );
    if (oldest?.done === true || performance.now() > deadline) return;
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}
