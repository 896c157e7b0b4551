import type { Log } from '#server/http/caller.ts';
import { concernsMember, readSessionEnd, type SessionEnd, type SessionEnds } from './channels/session-ends.ts';
import type { Sockets } from './sockets.ts';

/** Checks the channels of sessions and accounts that the database reports. */
export type SessionChecks = {
  /**
   * Handles a notification of the database. An empty payload means that notifications may have been missed, so every channel is checked.
   */
  note(payload: string): void;
  stop(): void;
};

/**
 * The wait before a check. Answers about a session are cached for half a second (`createSessionWatch`), so after this wait no cached answer
 * is older than the report.
 */
const WAIT_MS = 600;

/**
 * The database may report many ends at once, so one check serves those of 600 ms. A report that arrives during a wait is left to the next
 * check: in the current one its wait would be shorter, and the cached answer could still predate the end. A check that fails is repeated
 * until the database answers.
 */
export function createSessionChecks(
  sockets: Pick<Sockets, 'checkChannels'>,
  ends: Pick<SessionEnds, 'note'>,
  log: Pick<Log, 'warn'>,
): SessionChecks {
  let next: (SessionEnd | null)[] = [];
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  function wait(): void {
    if (timer || stopped || next.length === 0) return;
    const waited = next;
    next = [];
    timer = setTimeout(() => {
      timer = null;
      check(waited);
      wait();
    }, WAIT_MS);
  }

  function check(list: readonly (SessionEnd | null)[]): void {
    sockets
      .checkChannels((member) => list.some((end) => end === null || concernsMember(end, member)))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'the sessions of channels could not be checked; the next round checks them again');
        add(list);
      });
  }

  function add(list: readonly (SessionEnd | null)[]): void {
    next.push(...list);
    wait();
  }

  return {
    note(payload) {
      const end = readSessionEnd(payload);
      if (end) ends.note(end);
      add([end]);
    },
    stop() {
      stopped = true;
      if (timer) clearTimeout(timer);
    },
  };
}
