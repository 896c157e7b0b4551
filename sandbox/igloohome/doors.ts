import type { Core } from '../core/core.ts';
import { type Code, CODES_MAX, DAY, decide, liveCodes, LOCKED_OUT_MS, toLogType, WRONG_MAX } from './lock-rules.ts';
import type { Reports } from './reports.ts';
import { BRIDGE_ID, type Lock, type LogEntry, type Site } from './site.ts';

/** The keypad's reaction to a PIN. */
export type KeypadResult = { readonly opened: boolean; readonly reason: string };
export type Doors = {
  find(id: string): Lock | null;
  /**
   * Stores a code. Returns 'stored' also if it was stored before, 'full' above 199 codes, and 'taken' if the same digits have another
   * window.
   */
  store(lock: Lock, code: Omit<Code, 'used'>): 'stored' | 'full' | 'taken';
  /** Deletes a code that came through the bridge. Returns false if there is none. */
  remove(lock: Lock, pin: string): boolean;
  /** Enters a PIN on the keypad. */
  press(lock: Lock, pin: string): KeypadResult;
  /** Whether the bridge can reach the cloud. */
  online(): boolean;
  setOnline(online: boolean): void;
  /** Reports a change of the bridge's connection and sends the log entries that waited for it. */
  runDue(): void;
};

const LOG_MAX = 200;
/** How long expired codes are kept, so that the keypad can say "no longer valid" instead of "wrong code". */
const REMEMBERED_MS = 30 * DAY;

/** The locks, and the bridge that connects them to the cloud. */
export function createDoors(core: Core, site: Site, reports: Reports): Doors {
  let reported = true;

  const online = (): boolean =>
    site.bridge.online &&
    !core.faults.list().some((fault) => fault.provider === 'igloohome' && fault.kind === 'offline');

  /** Sends the log to the cloud through the bridge. While the bridge is offline, entries wait and are sent later in one batch. */
  function sendLog(lock: Lock): void {
    const waiting = lock.log.filter((entry) => !entry.sent).toReversed();
    if (waiting.length === 0 || !online()) return;
    for (const entry of waiting) entry.sent = true;
    reports.send(lock.id, 5, {
      activityLogs: waiting.map(({ logType, entryDate, pin }) => ({ logType, entryDate, pin })),
    });
  }

  function addLogEntry(lock: Lock, entry: Omit<LogEntry, 'sent'>): void {
    lock.log.unshift({ ...entry, sent: false });
    lock.log.length = Math.min(lock.log.length, LOG_MAX);
    core.state.changed();
    sendLog(lock);
  }

  function runDue(): void {
    const now = online();
    if (now !== reported) {
      reported = now;
      reports.send(BRIDGE_ID, 10, { isOnline: now });
    }
    for (const lock of site.locks) sendLog(lock);
  }

  return {
    online,
    runDue,
    setOnline(isOnline) {
      site.bridge.online = isOnline;
      core.state.changed();
      runDue();
    },
    find: (id) => site.locks.find((lock) => lock.id === id) ?? null,
    store(lock, code) {
      const result = storeCode(lock, code, core.now().getTime());
      core.state.changed();
      return result;
    },
    remove(lock, pin) {
      const before = lock.codes.length;
      lock.codes = lock.codes.filter((code) => code.pin !== pin || code.kind !== 'bridge');
      core.state.changed();
      return lock.codes.length < before;
    },
    press(lock, pin) {
      const now = core.now().getTime();
      const { logType, opened, reason } = enterPin(lock, pin, now);
      addLogEntry(lock, { logType, entryDate: Math.floor(now / 1000), pin, opened, reason });
      return { opened, reason };
    },
  };
}

/** Stores a code in a lock; see `Doors.store`. `now`: milliseconds of sandbox time. */
function storeCode(lock: Lock, code: Omit<Code, 'used'>, now: number): 'stored' | 'full' | 'taken' {
  const live = liveCodes(lock.codes, now);
  const isSame = (existing: Code): boolean =>
    existing.pin === code.pin &&
    existing.kind === code.kind &&
    existing.startsAt === code.startsAt &&
    existing.endsAt === code.endsAt;
  if (lock.codes.some(isSame)) return 'stored';
  if (live.some((existing) => existing.pin === code.pin)) return 'taken';
  if (live.length >= CODES_MAX) return 'full';
  lock.codes = lock.codes.filter((existing) => existing.endsAt === null || existing.endsAt > now - REMEMBERED_MS);
  lock.codes.push({ ...code, used: 0 });
  return 'stored';
}

/** Applies a PIN to a lock: counts uses and wrong tries, and blocks the keypad after too many. */
function enterPin(lock: Lock, pin: string, now: number): KeypadResult & { logType: number } {
  const blocked = now < lock.lockedUntil;
  const decision = blocked
    ? { opened: false as const, reason: 'locked out after too many wrong codes' }
    : decide(lock.codes, pin, now);
  const logType = toLogType(decision);
  if (decision.opened) {
    decision.code.used += 1;
    lock.wrong = 0;
  }
  if (decision.reason === 'wrong code') {
    lock.wrong += 1;
    if (lock.wrong >= WRONG_MAX) Object.assign(lock, { wrong: 0, lockedUntil: now + LOCKED_OUT_MS });
  }
  return { logType, opened: decision.opened, reason: decision.reason };
}
