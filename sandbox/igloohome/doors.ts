import type { Core } from '../core/core.ts';
import { type Code, CODES_MAX, DAY, decide, liveCodes, LOCKED_OUT_MS, logTypeOf, WRONG_MAX } from './lock-rules.ts';
import type { Reports } from './reports.ts';
import { BRIDGE_ID, type Lock, type LogEntry, type Site } from './site.ts';

export type Door = { readonly opened: boolean; readonly reason: string };
export type Doors = {
  find(id: string): Lock | null;
  /** 'kept' also when it was there before; 'full' beyond 199 codes; 'taken' when the same digits open another window. */
  keep(lock: Lock, code: Omit<Code, 'used'>): 'kept' | 'full' | 'taken';
  /** Forgets a code that came through the bridge; false: there is none. */
  forget(lock: Lock, pin: string): boolean;
  /** What somebody standing at the door does. */
  press(lock: Lock, pin: string): Door;
  /** Whether the bridge reaches the cloud now. */
  online(): boolean;
  setOnline(online: boolean): void;
  /** Notices what became of the bridge and hands on what waited for it. */
  scheduler(): void;
};

const LOG_MAX = 200;
/** Codes that died so long ago are not worth keeping; until then the keypad can say that they were good once. */
const REMEMBERED_MS = 30 * DAY;

/** The locks on the doors and the bridge that ties them to the cloud. */
export function createDoors(core: Core, site: Site, reports: Reports): Doors {
  let reported = true;

  const online = (): boolean =>
    site.bridge.online &&
    !core.faults.list().some((fault) => fault.provider === 'igloohome' && fault.kind === 'offline');

  /** Activity reaches the cloud through the bridge: at once, or late and in one batch when it was away. */
  function handOn(lock: Lock): void {
    const waiting = lock.log.filter((entry) => !entry.sent).toReversed();
    if (waiting.length === 0 || !online()) return;
    for (const entry of waiting) entry.sent = true;
    reports.send(lock.id, 5, {
      activityLogs: waiting.map(({ logType, entryDate, pin }) => ({ logType, entryDate, pin })),
    });
  }

  function note(lock: Lock, entry: Omit<LogEntry, 'sent'>): void {
    lock.log.unshift({ ...entry, sent: false });
    lock.log.length = Math.min(lock.log.length, LOG_MAX);
    core.state.changed();
    handOn(lock);
  }

  function scheduler(): void {
    const now = online();
    if (now !== reported) {
      reported = now;
      reports.send(BRIDGE_ID, 10, { isOnline: now });
    }
    for (const lock of site.locks) handOn(lock);
  }

  return {
    online,
    scheduler,
    setOnline(wanted) {
      site.bridge.online = wanted;
      core.state.changed();
      scheduler();
    },
    find: (id) => site.locks.find((lock) => lock.id === id) ?? null,
    keep(lock, code) {
      const now = core.now().getTime();
      const live = liveCodes(lock.codes, now);
      const twins = live.filter((one) => one.pin === code.pin);
      const same = (one: Code): boolean =>
        one.kind === code.kind && one.startsAt === code.startsAt && one.endsAt === code.endsAt;
      if (lock.codes.some((one) => one.pin === code.pin && same(one))) return 'kept';
      if (twins.length > 0) return 'taken';
      if (live.length >= CODES_MAX) return 'full';
      lock.codes = lock.codes.filter((one) => one.endsAt === null || one.endsAt > now - REMEMBERED_MS);
      lock.codes.push({ ...code, used: 0 });
      core.state.changed();
      return 'kept';
    },
    forget(lock, pin) {
      const before = lock.codes.length;
      lock.codes = lock.codes.filter((code) => code.pin !== pin || code.kind !== 'bridge');
      core.state.changed();
      return lock.codes.length < before;
    },
    press(lock, pin) {
      const now = core.now().getTime();
      const silent = now < lock.lockedUntil;
      const answer = silent
        ? { opened: false as const, reason: 'locked out after too many wrong codes' }
        : decide(lock.codes, pin, now);
      const logType = logTypeOf(answer);
      if (answer.opened) {
        answer.code.used += 1;
        lock.wrong = 0;
      }
      if (answer.reason === 'wrong code') {
        lock.wrong += 1;
        if (lock.wrong >= WRONG_MAX) Object.assign(lock, { wrong: 0, lockedUntil: now + LOCKED_OUT_MS });
      }
      const { opened, reason } = answer;
      note(lock, { logType, entryDate: Math.floor(now / 1000), pin, opened, reason });
      return { opened, reason };
    },
  };
}
