import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import { type Batch, toBatch, type OutboxRow, type Position, readPage, startPosition } from './outbox.ts';

export type Reader = {
  /** Makes the reader soon read what was committed since the last read. */
  wake(): void;
  stop(): Promise<void>;
};

/** The time between two reads while changes arrive. */
const AWAKE_MS = 15;
/** The time for which a reader stays awake without changes. Writers need not notify an awake reader. */
const QUIET_MS = 1_000;
/**
 * The time between two reads while the reader is asleep and gets no notification. Needed for the rare writer that found the reader awake
 * just before it fell asleep.
 */
const ASLEEP_MS = 1_000;
/** The interval at which a reader shows that it is alive. */
const SEEN_MS = 20_000;

/** Reads the outbox of changes: every committed row exactly once, until it is stopped. */
export async function startReader(context: {
  readonly db: Database;
  readonly process: string;
  /** Delivers the rows that were read. The next read waits for it. */
  readonly onBatch: (batch: Batch) => Promise<void>;
  /** Called when changes may have been missed: the outbox was emptied, was not read for too long, or its rows could not be delivered. */
  readonly onGap: () => Promise<void>;
  readonly log: Log;
}): Promise<Reader> {
  const { db, process, onBatch, onGap, log } = context;
  let position: Position = await startPosition(db);
  // The embedded engine has one connection, so its notifications cost nothing and its reader need not poll.
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
      log.warn({}, 'table changes may have been missed; subscribers must read again');
      announce.forget();
      await onGap();
      missed = false;
    }
    if (page.rows.length > 0) awakeUntil = performance.now() + QUIET_MS;
    const awake = mayStayAwake && performance.now() < awakeUntil;
    // The announcement comes before the new position, so that a failure makes the reader read the rows again.
    await announce(awake);
    position = page.next;
    if (page.rows.length > 0) await deliver(page.rows);
    if (!woken && !stopped && !page.more && !missed) await sleep.start(awake ? AWAKE_MS : ASLEEP_MS);
  }

  /** Delivers rows. Rows that fail are skipped, because they would fail again, and every subscriber is then told to read again. */
  async function deliver(rows: readonly OutboxRow[]): Promise<void> {
    try {
      await onBatch(toBatch(rows));
    } catch (error) {
      log.error({ err: error }, 'table changes could not be delivered; subscribers must read again');
      missed = true;
    }
  }

  async function loop(): Promise<void> {
    while (!stopped) {
      try {
        await readOnce();
      } catch (error) {
        if (stopped) return;
        log.error({ err: error }, 'table changes could not be read; the next round reads them');
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

/** Announces to writers whether this reader polls, so that they need not notify it. `forget`: makes the next call write in any case. */
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
