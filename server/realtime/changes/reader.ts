import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import { type Batch, batchOf, type OutboxRow, type Position, readPage, startPosition } from './outbox.ts';

export type Reader = {
  /** Reads what was committed since the last read, soon. */
  wake(): void;
  stop(): Promise<void>;
};

/** Time between two reads while changes arrive. */
const AWAKE_MS = 15;
/** How long a reader without changes stays awake: writers need not notify it. */
const QUIET_MS = 1_000;
/** A read without a notification, for the rare writer that saw the reader awake just before it fell asleep. */
const ASLEEP_MS = 1_000;
/** How often a reader shows that it is alive. */
const SEEN_MS = 20_000;

/** Reads the outbox of changes: every committed row exactly once, until it is stopped. */
export async function startReader(context: {
  readonly db: Database;
  readonly process: string;
  /** Delivers what was read. The next read waits for it. */
  readonly onBatch: (batch: Batch) => Promise<void>;
  /** Called when changes may have been missed: the outbox was emptied, not read for too long, or could not be delivered. */
  readonly onGap: () => Promise<void>;
  readonly log: Log;
}): Promise<Reader> {
  const { db, process, onBatch, onGap, log } = context;
  let position: Position = await startPosition(db);
  // The embedded engine has one connection: its notifications cost nothing, so its reader never looks by itself.
  const mayStayAwake = db.kind === 'postgres';
  let stopped = false;
  let woken = false;
  let missed = false;
  let awakeUntil = 0;
  const announce = createAnnouncement(db, process);
  const sleep = createSleep();

  async function readOnce(): Promise<void> {
    woken = false;
    const page = await readPage(db, position);
    if (page.gap || missed) {
      log.warn({}, 'table changes may have been missed');
      announce.forget();
      await onGap();
      missed = false;
    }
    if (page.rows.length > 0) awakeUntil = performance.now() + QUIET_MS;
    const awake = mayStayAwake && performance.now() < awakeUntil;
    // Before the position: when this fails, the rows are read again.
    await announce(awake);
    position = page.next;
    if (page.rows.length > 0) await deliver(page.rows);
    if (!woken && !stopped && !page.more && !missed) await sleep.start(awake ? AWAKE_MS : ASLEEP_MS);
  }

  /** Rows that cannot be delivered would fail again: they are left out, and everybody is told. */
  async function deliver(rows: readonly OutboxRow[]): Promise<void> {
    try {
      await onBatch(batchOf(rows));
    } catch (error) {
      log.error({ err: error }, 'table changes could not be delivered');
      missed = true;
    }
  }

  async function loop(): Promise<void> {
    while (!stopped) {
      try {
        await readOnce();
      } catch (error) {
        if (stopped) return;
        log.error({ err: error }, 'table changes could not be read');
        await sleep.start(ASLEEP_MS);
      }
    }
  }

  const wake = (): void => {
    woken = true;
    sleep.end();
  };
  await announce(false);
  const running = loop();
  return {
    wake,
    async stop() {
      stopped = true;
      wake();
      await running;
      await db.query('select realtime.remove_readers($1::uuid)', [process]).catch(() => undefined);
    },
  };
}

type Announcement = { (awake: boolean): Promise<void>; forget(): void };

/** Tells writers whether this reader looks by itself. `forget`: the next call writes in any case. */
function createAnnouncement(db: Database, process: string): Announcement {
  let last = { awake: false, at: Number.NEGATIVE_INFINITY };
  const announce = async (awake: boolean): Promise<void> => {
    const age = performance.now() - last.at;
    if (awake === last.awake && age < (awake ? QUIET_MS / 2 : SEEN_MS)) return;
    last = { awake, at: performance.now() };
    await db.query(`select realtime.announce_reader($1::uuid, $2::int * interval '1 millisecond')`, [
      process,
      awake ? QUIET_MS : null,
    ]);
  };
  return Object.assign(announce, {
    forget: () => {
      last = { awake: false, at: Number.NEGATIVE_INFINITY };
    },
  });
}

/** A pause that can be ended early. */
function createSleep(): { start(milliseconds: number): Promise<void>; end(): void } {
  let end = (): void => undefined;
  return {
    start: (milliseconds) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    end: () => end(),
  };
}
