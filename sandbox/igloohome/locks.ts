import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { Core } from '../core/core.ts';
import type { State } from '../core/state.ts';

export type CodeKind = 'onetime' | 'hourly' | 'daily' | 'permanent' | 'bridge';
type Code = { pin: string; kind: CodeKind; startsAt: number; endsAt: number | null; name: string; used: number };
type LogEntry = { at: string; logType: number; pin: string | null; opened: boolean; reason: string };
export type Lock = {
  id: string;
  name: string;
  battery: number;
  codes: Code[];
  log: LogEntry[];
  wrong: number;
  lockedUntil: number;
};
export type Door = { opened: boolean; reason: string };
export type Locks = {
  readonly all: Lock[];
  get(id: string): Lock | null;
  /** The lock's own arithmetic: the same words always give the same nine digits. */
  compute(lock: Lock, kind: CodeKind, start: string, end: string, variance: number): string;
  add(lock: Lock, code: { pin: string; kind: CodeKind; startsAt: number; endsAt: number | null; name: string }): void;
  forget(lock: Lock, pin: string): boolean;
  /** What somebody standing at the door does. */
  press(lock: Lock, pin: string): Door;
  report(lockId: string, type: number, data: Record<string, unknown>): void;
  readonly publicKey: string;
};

const DAY = 86_400_000;
export const PINS_MAX = 199;
const WRONG_MAX = 5;
const LOCKED_MS = 5 * 60_000;
const DEVICE_KEY = 'sandbox device key';

type Saved = { locks: Lock[]; privateKey: string };

/** Three locks behind one bridge, with the rules real ones have (window, one use, wrong tries, memory for 199 codes). */
export function createLocks(parts: { core: Core; state: State; webhookUrl: string }): Locks {
  const { core, state } = parts;
  const saved = state.load<Saved>('locks', {
    locks: [newLock('SPA1X0001', 'Studio A'), newLock('SPB1X0002', 'Studio B'), newLock('SPC1X0003', 'Studio C')],
    privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString(),
  });
  const privateKey = createPrivateKey(saved.privateKey);
  const publicKey = createPublicKey(privateKey);

  const locks: Locks = {
    all: saved.locks,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    get: (id) => saved.locks.find((lock) => lock.id === id) ?? null,
    compute: (lock, kind, start, end, variance) =>
      String(
        100_000_000 +
          (createHmac('sha256', DEVICE_KEY)
            .update(`${lock.id}|${kind}|${start}|${end}|${variance}`)
            .digest()
            .readUIntBE(0, 6) %
            900_000_000),
      ),
    add(lock, code) {
      if (lock.codes.some((one) => one.pin === code.pin && one.startsAt === code.startsAt)) return;
      lock.codes.push({ ...code, used: 0 });
      state.changed();
    },
    forget(lock, pin) {
      const before = lock.codes.length;
      lock.codes = lock.codes.filter((code) => code.pin !== pin);
      state.changed();
      return lock.codes.length < before;
    },
    press(lock, pin) {
      const now = core.now().getTime();
      const answer = decide(lock, pin, now);
      if (answer.opened) lock.wrong = 0;
      else if (answer.reason === 'wrong code') {
        lock.wrong += 1;
        if (lock.wrong >= WRONG_MAX) lock.lockedUntil = now + LOCKED_MS;
      }
      const code = lock.codes.find((one) => one.pin === pin && one.startsAt <= now);
      const logType = !answer.opened ? 16 : code?.kind === 'onetime' ? 20 : (code?.used ?? 0) > 0 ? 19 : 22;
      if (answer.opened && code) code.used += 1;
      lock.log.unshift({ at: new Date(now).toISOString(), logType, pin, opened: answer.opened, reason: answer.reason });
      lock.log.length = Math.min(lock.log.length, 100);
      state.changed();
      locks.report(lock.id, 5, { activityLogs: [{ logType, entryDate: Math.floor(now / 1000), pin }] });
      return answer;
    },
    report(lockId, type, data) {
      const body = JSON.stringify({ payload: { product: { id: lockId }, event: { type, data } } });
      core.deliver('igloohome', parts.webhookUrl, () => {
        const url = new URL(parts.webhookUrl);
        const date = new Date().toUTCString();
        const text = ['POST', url.host, url.pathname, 'application/json', date, body].join('|');
        const digest = createHmac('sha256', publicKey.export({ type: 'pkcs1', format: 'der' }))
          .update(Buffer.from(text, 'latin1'))
          .digest();
        return {
          body,
          headers: {
            'content-type': 'application/json',
            date,
            'x-igloocompany-date': date,
            'x-igloocompany-sha256': sign('sha256', digest, privateKey).toString('base64'),
          },
        };
      });
    },
  };
  return locks;
}

function newLock(id: string, name: string): Lock {
  return { id, name, battery: 91, codes: [], log: [], wrong: 0, lockedUntil: 0 };
}

function decide(lock: Lock, pin: string, now: number): Door {
  if (now < lock.lockedUntil) return { opened: false, reason: 'locked out after too many wrong codes' };
  const known = lock.codes.filter((code) => code.pin === pin);
  if (known.length === 0) return { opened: false, reason: 'wrong code' };
  const fitting = known.find((code) => code.startsAt <= now && (code.endsAt === null || now < code.endsAt));
  if (!fitting)
    return { opened: false, reason: known.some((code) => code.startsAt > now) ? 'not yet valid' : 'no longer valid' };
  if (fitting.kind === 'onetime' && fitting.used > 0) return { opened: false, reason: 'already used' };
  // A code for longer than a day must be used within its first day (first-use rule).
  const long = fitting.endsAt !== null && fitting.endsAt - fitting.startsAt > DAY;
  if (long && fitting.used === 0 && now > fitting.startsAt + DAY)
    return { opened: false, reason: 'not used within 24 hours' };
  return { opened: true, reason: 'opened' };
}
