import { randomInt } from 'node:crypto';
import { accessTimes, regenerateLimits } from '#rules/access.ts';
import { settings as studio } from '#rules/venue.ts';
import type { Encryption } from '#server/crypto/encryption.ts';
import type { Fingerprint } from '#server/crypto/fingerprint.ts';
import type { Database, Transaction } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Locks } from '#server/providers/ports.ts';
import { type AccessCode, issuedCode, liveCodes, newestCode, roomIsFreeBefore } from './access-rows.ts';
import { type BookingFacts, lockBooking, readBooking } from './core/booking-rows.ts';
import { failpoint } from './core/failpoint.ts';
import { enqueue, type Job, type JobOutcome } from './outbox.ts';
import { Refusal } from './core/refusal.ts';

/** What the PIN page shows. `pin` is null until `releaseAt`, and until the lock has answered. */
export type DoorAccess = {
  readonly booking: BookingFacts;
  readonly pin: string | null;
  readonly pinId: string | null;
  readonly releaseAt: Date;
  readonly worksFrom: Date;
  readonly worksUntil: Date;
  readonly nextCodeAt: Date | null;
  readonly codesLeft: number;
  readonly mode: 'bridge' | 'hourly' | 'onetime';
  readonly singleUse: boolean;
};

export type AccessCodes = {
  /** Outbox: requests the first code of a confirmed booking from the lock. Idempotent. */
  request(job: Job): Promise<JobOutcome>;
  /** Outbox: removes a booking's codes from the lock, or only the one in the payload. */
  revoke(job: Job): Promise<JobOutcome>;
  /** Reads the access of a confirmed booking; changes nothing. */
  show(bookingId: string): Promise<DoorAccess>;
  /** Issues the first code if there is none yet, then reads the access. */
  ensure(bookingId: string): Promise<DoorAccess>;
  /** Replaces the current code with a new one. */
  renew(bookingId: string, actor: string | null): Promise<DoorAccess>;
  /** Records that somebody opened a door with these digits. */
  used(lockId: string, pin: string, at: Date): Promise<void>;
};

/** Length of the codes that we choose. The lock takes 4 to 10 digits and locks out after a few wrong tries. */
const PIN_DIGITS = 6;

export function createAccessCodes(context: {
  db: Database;
  locks: Locks;
  /** Studio id → lock id. */
  lockOf: ReadonlyMap<string, string>;
  encryption: Encryption;
  /** Fingerprints of PINs, to find one again. */
  fingerprint: Fingerprint;
  clock: Clock;
  log: Log;
}): AccessCodes {
  const { db, locks, lockOf, encryption, fingerprint, clock, log } = context;
  const limits = regenerateLimits(locks.capabilities.mode);

  async function timesOf(
    source: Pick<Transaction, 'query' | 'one'>,
    booking: BookingFacts,
  ): Promise<ReturnType<typeof accessTimes>> {
    return accessTimes({
      start: new Date(booking.startTime),
      end: new Date(booking.endTime),
      bookedAt: new Date(booking.confirmedAt ?? booking.createdAt),
      roomFreeBefore: await roomIsFreeBefore(source, booking, studio.pinLeadMinutes),
      capabilities: locks.capabilities,
    });
  }

  async function requireConfirmed(bookingId: string): Promise<BookingFacts> {
    const booking = await readBooking(db, bookingId);
    if (!booking || booking.status === 'cancelled') throw new Refusal('not_found', 'Booking not found');
    if (booking.status !== 'confirmed') throw new Refusal('not_confirmed', 'This booking is not paid for yet.');
    return booking;
  }

  /** Stores the code before the lock is called, so that a lost answer can be requested again. */
  async function plan(tx: Transaction, booking: BookingFacts, attempt: number): Promise<AccessCode> {
    const lockId = lockOf.get(booking.studioId);
    if (!lockId) throw new Error(`no lock is configured for studio ${booking.studioName}`);
    const times = await timesOf(tx, booking);
    // igloohome refuses a window that began before the current hour.
    const from = new Date(Math.max(times.worksFrom.getTime(), floorToHour(clock()).getTime()));
    const code = await tx.one<{ id: string }>(
      `insert into public.booking_access_codes (booking_id, attempt, mode, starts_at, ends_at, release_at, created_at)
       values ($1::uuid, $2::int, $3, $4::timestamptz, $5::timestamptz, $6::timestamptz, $7::timestamptz) returning id`,
      [booking.id, attempt, locks.capabilities.mode, from, times.worksUntil, times.releaseAt, clock()],
    );
    if (!code) throw new Error('a planned code was not written');
    const ownPin = locks.capabilities.mode === 'bridge' ? await freshPin(tx, lockId) : null;
    await tx.query(
      `insert into private.access_secret (code_id, lock_id, variant, pin_sealed, pin_print, starts_at, ends_at)
       values ($1::uuid, $2, $3::int, $4, $5, $6::timestamptz, $7::timestamptz)`,
      [
        code.id,
        lockId,
        ownPin === null ? await freeVariant(tx, lockId, from, times.worksUntil) : 0,
        ownPin === null ? null : encryption.encrypt(ownPin, code.id),
        ownPin === null ? null : fingerprint(ownPin),
        from,
        times.worksUntil,
      ],
    );
    const planned = await newestCode(tx, booking.id);
    if (!planned) throw new Error('a planned code cannot be read back');
    return planned;
  }

  /** Chooses digits that no live code of this lock has. */
  async function freshPin(tx: Transaction, lockId: string): Promise<string> {
    for (let round = 0; round < 20; round += 1) {
      const pin = String(randomInt(10 ** (PIN_DIGITS - 1), 10 ** PIN_DIGITS));
      const taken = await tx.one('select 1 from private.access_secret where lock_id = $1 and pin_print = $2 and live', [
        lockId,
        fingerprint(pin),
      ]);
      if (!taken) return pin;
    }
    throw new Error(`lock ${lockId} has no digits left`);
  }

  async function freeVariant(tx: Transaction, lockId: string, startsAt: Date, endsAt: Date): Promise<number> {
    const row = await tx.one<{ next: number }>(
      `select coalesce(max(variant), 0) + 1 as next from private.access_secret where lock_id = $1 and starts_at = $2::timestamptz and ends_at = $3::timestamptz`,
      [lockId, startsAt, endsAt],
    );
    const next = row?.next ?? 1;
    if (next > locks.capabilities.codesPerWindow)
      throw new Refusal('code_limit', 'No more codes can be made for this session. Please contact us.');
    return next;
  }

  /** Requests a planned code from the lock, outside any transaction, and records the answer. */
  async function issue(code: AccessCode, booking: BookingFacts): Promise<void> {
    failpoint('access.before.issue');
    const issued = await locks.issueCode({
      lockId: code.lockId,
      startsAt: code.startsAt,
      endsAt: code.endsAt,
      accessName: booking.reference,
      variant: code.variant,
      pin: code.pinSealed === null ? '' : encryption.decrypt(code.pinSealed, code.id),
    });
    failpoint('access.after.issue');
    await db.transaction(async (tx) => {
      const now = clock();
      const live = await lockBooking(tx, booking.id);
      await tx.query(
        `update public.booking_access_codes set status = 'issued', issued_at = $2::timestamptz where id = $1::uuid and status = 'requested'`,
        [code.id, now],
      );
      await tx.query(
        `update private.access_secret set pin_sealed = $2, pin_print = $3, provider_code_id = $4 where code_id = $1::uuid`,
        [code.id, encryption.encrypt(issued.pin, code.id), fingerprint(issued.pin), issued.providerCodeId],
      );
      await tx.query(`select private.audit(null, 'create', 'access_code', $1, $2::jsonb)`, [
        code.id,
        { bookingId: booking.id, attempt: code.attempt, mode: locks.capabilities.mode },
      ]);
      // Revoke at once when the booking was cancelled during the call, else when the code ends.
      const cancelled = live?.status !== 'confirmed';
      await enqueue(tx, {
        kind: 'access.revoke',
        subjectId: booking.id,
        dedupe: code.id,
        payload: { codeId: code.id },
        dueAt: cancelled ? now : code.endsAt,
      });
    });
    failpoint('access.after.commit');
  }

  /** Issues the first code of a booking. `ended`: the session was over before the lock issued one. */
  async function issueFirst(bookingId: string): Promise<'done' | 'ended'> {
    const planned = await db.transaction(async (tx) => {
      const booking = await lockBooking(tx, bookingId);
      if (!booking || booking.status !== 'confirmed') return null;
      const newest = await newestCode(tx, bookingId);
      if (clock().getTime() >= Date.parse(booking.endTime))
        return newest?.status === 'requested' || !newest ? 'ended' : null;
      return { booking, code: newest ?? (await plan(tx, booking, 1)) };
    });
    if (planned === 'ended') return 'ended';
    if (!planned) return 'done';
    if (planned.code.status === 'requested') await issue(planned.code, planned.booking);
    return 'done';
  }

  async function revokeCode(code: AccessCode): Promise<void> {
    const now = clock();
    const over = now.getTime() >= code.endsAt.getTime();
    if (locks.capabilities.revocable) {
      await locks.revokeCode({
        lockId: code.lockId,
        pin: code.pinSealed === null ? '' : encryption.decrypt(code.pinSealed, code.id),
      });
    } else if (!over) {
      await db.query(
        `select private.audit(null, 'alert', 'access_code', $1, '{"reason": "the lock cannot forget this code before it ends"}')`,
        [code.id],
      );
    }
    failpoint('access.after.revoke');
    await db.transaction(async (tx) => {
      await tx.query(
        `update public.booking_access_codes set status = 'revoked', revoked_at = $2::timestamptz where id = $1::uuid and status <> 'failed'`,
        [code.id, now],
      );
      await tx.query(`update private.access_secret set live = false where code_id = $1::uuid`, [code.id]);
    });
  }

  async function show(bookingId: string): Promise<DoorAccess> {
    const booking = await requireConfirmed(bookingId);
    const times = await timesOf(db, booking);
    const code = await issuedCode(db, bookingId);
    const newest = await newestCode(db, bookingId);
    const now = clock();
    const ended = now.getTime() >= Date.parse(booking.endTime);
    const released = now.getTime() >= times.releaseAt.getTime() && !ended;
    const nextCodeAt = newest ? new Date(newest.createdAt.getTime() + limits.secondsBetweenCodes * 1000) : null;
    return {
      booking,
      pin: code?.pinSealed && released ? encryption.decrypt(code.pinSealed, code.id) : null,
      pinId: code?.id ?? null,
      releaseAt: times.releaseAt,
      worksFrom: code?.startsAt ?? times.worksFrom,
      worksUntil: code?.endsAt ?? times.worksUntil,
      nextCodeAt: nextCodeAt && nextCodeAt > now ? nextCodeAt : null,
      codesLeft: Math.max(0, limits.codesPerBooking - (newest?.attempt ?? 0)),
      mode: locks.capabilities.mode,
      singleUse: locks.capabilities.singleUse,
    };
  }

  async function renew(bookingId: string, actor: string | null): Promise<DoorAccess> {
    const booking = await requireConfirmed(bookingId);
    const times = await timesOf(db, booking);
    const now = clock();
    if (now.getTime() >= Date.parse(booking.endTime)) throw new Refusal('session_ended', 'Session has ended');
    if (now < times.releaseAt)
      throw new Refusal('code_not_released', 'Your code isn’t available yet.', { releaseAt: times.releaseAt });
    const { code, before } = await db.transaction(async (tx) => {
      const live = await lockBooking(tx, bookingId);
      if (live?.status !== 'confirmed') throw new Refusal('not_found', 'Booking not found');
      const newest = await newestCode(tx, bookingId);
      if (newest?.status === 'requested') return { code: newest, before: [] };
      if (newest) admitRenewal(newest, now);
      const old = (await liveCodes(tx, bookingId)).filter((one) => one.status === 'issued');
      if (locks.capabilities.mode === 'bridge') {
        await tx.query(
          `update public.booking_access_codes set status = 'revoke_pending' where booking_id = $1::uuid and status = 'issued'`,
          [bookingId],
        );
      }
      const planned = await plan(tx, booking, (newest?.attempt ?? 0) + 1);
      for (const one of locks.capabilities.revocable ? old : []) {
        await enqueue(tx, {
          kind: 'access.revoke',
          subjectId: bookingId,
          dedupe: `renew:${one.id}`,
          payload: { codeId: one.id },
          dueAt: now,
        });
      }
      await tx.query(`select private.audit($2::uuid, 'update', 'access_code', $1, $3::jsonb)`, [
        planned.id,
        actor,
        { bookingId, attempt: planned.attempt },
      ]);
      return { code: planned, before: old };
    });
    try {
      await issue(code, booking);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      log.error(
        { booking: bookingId, provider: error.provider, reason: error.reason },
        'a new door code could not be made',
      );
      await fallBack(code, before, error);
      throw new Refusal('provider_unavailable', 'The lock cannot be reached right now. Please try again in a moment.');
    }
    return show(bookingId);
  }

  /** Keeps the previous code when the lock refused the new one. After a lost answer the new code stays requested and is tried again. */
  async function fallBack(code: AccessCode, before: readonly AccessCode[], error: ProviderError): Promise<void> {
    if (error.ambiguous) return;
    await db.transaction(async (tx) => {
      await tx.query(`update public.booking_access_codes set status = 'failed' where id = $1::uuid`, [code.id]);
      await tx.query(`update private.access_secret set live = false where code_id = $1::uuid`, [code.id]);
      for (const one of before) {
        await tx.query(
          `delete from private.outbox where kind = 'access.revoke' and dedupe = $1 and done_at is null and lease_until = '-infinity'`,
          [`renew:${one.id}`],
        );
        await tx.query(
          `update public.booking_access_codes set status = 'issued' where id = $1::uuid and status = 'revoke_pending'`,
          [one.id],
        );
      }
    });
  }

  function admitRenewal(newest: AccessCode, now: Date): void {
    if (newest.attempt >= limits.codesPerBooking)
      throw new Refusal('code_limit', 'No more codes can be made for this session. Please contact us.');
    const wait = newest.createdAt.getTime() + limits.secondsBetweenCodes * 1000 - now.getTime();
    if (wait > 0)
      throw new Refusal('code_wait', `Please wait ${Math.ceil(wait / 1000)} seconds before making another code.`, {
        seconds: Math.ceil(wait / 1000),
      });
  }

  return {
    show,
    renew,
    async ensure(bookingId) {
      const booking = await requireConfirmed(bookingId);
      const times = await timesOf(db, booking);
      if (clock() >= times.requestAt) {
        await issueFirst(bookingId).catch((error: unknown) => {
          // The outbox tries again; until then the page says that the code is on its way.
          log.warn(
            { booking: bookingId, reason: error instanceof Error ? error.message : String(error) },
            'a door code is not there yet',
          );
        });
      }
      return show(bookingId);
    },
    async request(job) {
      const result = await issueFirst(job.subjectId);
      return result === 'ended' ? { closed: 'The session ended before the lock had given an access code.' } : 'done';
    },
    async revoke(job) {
      const onlyCodeId = job.payload['codeId'];
      const codes = await liveCodes(db, job.subjectId);
      for (const code of codes) {
        if (onlyCodeId !== undefined && code.id !== onlyCodeId) continue;
        await revokeCode(code);
      }
      return 'done';
    },
    async used(lockId, pin, at) {
      await db.transaction(async (tx) => {
        const row = await tx.one<{ id: string; bookingId: string }>(
          `update public.booking_access_codes c set used_at = coalesce(c.used_at, $3::timestamptz)
           from private.access_secret s where s.code_id = c.id and s.lock_id = $1 and s.pin_print = $2 and s.live returning c.id, c.booking_id as "bookingId"`,
          [lockId, fingerprint(pin), at],
        );
        if (!row || locks.capabilities.mode !== 'bridge') return;
        await enqueue(tx, {
          kind: 'access.revoke',
          subjectId: row.bookingId,
          dedupe: `used:${row.id}`,
          payload: { codeId: row.id },
          dueAt: clock(),
        });
      });
    },
  };
}

function floorToHour(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000);
}
