import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { temporaryKeys, type Keys } from '#server/crypto/keys.ts';
import { openMigratedDatabase } from '#tests/support/image.ts';
import type { AuthConfig } from '../core/config.ts';
import { AuthRefusal } from '../core/errors.ts';
import { createSessions, type Sessions } from './sessions.ts';

/**
 * Thief and victim, tabs at once, lost answers and slow twins, in generated orders under a clock of our own (promises G24). What must
 * happen is said from what was presented and when, not from how the server keeps it.
 */
const RUNS = process.env['TEST_LONG'] ? 10_000 : 500;
const REUSE_MS = 10_000;
const USER = randomUUID();
let db: Database;
let keys: Keys;
let now = Date.parse('2026-05-01T00:00:00Z');

function sessionsWith(reuseSeconds: number): Sessions {
  const config = {
    accessTokenSeconds: 3_600,
    reuseSeconds,
    sessionSeconds: null,
    inactivitySeconds: null,
    singleSession: false,
  };
  return createSessions({
    db,
    keys,
    watch: { alive: () => Promise.resolve(true), forget: () => undefined },
    clock: () => new Date(now),
    // Only what sessions read of the settings.
    config: config as AuthConfig,
  });
}

beforeAll(async () => {
  db = await openMigratedDatabase();
  keys = await temporaryKeys();
  await db.query(
    `insert into auth.users (id, email, email_confirmed_at) values ($1::uuid, 'victim@example.com', now())`,
    [USER],
  );
});
afterAll(() => db.close());

type Step =
  | { readonly kind: 'wait'; readonly ms: number }
  /** So many tabs refresh at once; of one the answer may be lost. */
  | { readonly kind: 'victim'; readonly tabs: number; readonly lost: boolean }
  /** A request of the victim's that was under way since before the last refresh. */
  | { readonly kind: 'twin' }
  | { readonly kind: 'steal' }
  | { readonly kind: 'thief' };
const waits = fc.constantFrom(1, 500, 4_000, 9_999, 10_000, 10_001, 60_000, 3_600_000);
const honest: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), ms: waits }),
  fc.record({ kind: fc.constant('victim' as const), tabs: fc.integer({ min: 1, max: 4 }), lost: fc.boolean() }),
  fc.constant({ kind: 'twin' as const }),
);
const any: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: honest },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'steal' as const }, { kind: 'thief' as const }) },
);

type Played = {
  /** Where the victim was signed out though nobody had used a copy that old. */
  readonly wronged: boolean;
  /** Where a copy older than it may be was answered, or anything was after that. */
  readonly missed: boolean;
};

/** Plays the steps on a session of its own. */
async function play(sessions: Sessions, steps: readonly Step[]): Promise<Played> {
  const user = { id: USER, email: 'victim@example.com' };
  const begun = await db.transaction((tx) =>
    sessions.beginIn(tx, user as Parameters<Sessions['beginIn']>[1], 'password', { ip: '10.0.0.1', userAgent: null }),
  );
  const first = String(begun.answer['refresh_token']);
  // Every token in the order it was handed out, and when each was first traded.
  const handed = [first];
  const traded = new Map<string, number>();
  let [held, stolen, before]: [string, string | null, string | null] = [first, null, null];
  let over = false;
  const played = { wronged: false, missed: false };

  /** Presents a token; says what the promise says must happen, and notes where it did not. */
  async function present(token: string): Promise<string | null> {
    const age = handed.length - 1 - handed.indexOf(token);
    const late = age >= 2 && now - (traded.get(token) ?? 0) >= REUSE_MS;
    const answer = await sessions.refresh(token, '10.0.0.1').catch((error: unknown) => {
      if (error instanceof AuthRefusal) return null;
      throw error;
    });
    if (answer !== null && (late || over)) played.missed = true;
    if (answer === null && !late && !over) played.wronged = true;
    if (late) over = true;
    const next = answer === null ? null : String(answer['refresh_token']);
    if (next !== null && age === 0) traded.set(token, now);
    if (next !== null && !handed.includes(next)) handed.push(next);
    return next;
  }

  for (const step of steps) {
    if (step.kind === 'wait') now += step.ms;
    else if (step.kind === 'steal') stolen = held;
    else if (step.kind === 'thief') stolen = stolen === null ? null : ((await present(stolen)) ?? stolen);
    else if (step.kind === 'twin') {
      // A slow twin is a twin only as long as requests live.
      if (before !== null && now - (traded.get(before) ?? 0) < REUSE_MS) await present(before);
    } else {
      const request = held;
      for (let tab = 0; tab < step.tabs; tab += 1) {
        const answer = await present(request);
        if (answer !== null && !(step.lost && step.tabs === 1)) [before, held] = [request, answer];
      }
    }
  }
  return played;
}

test(
  `in ${RUNS} orders of tabs, lost answers and slow twins nobody honest is signed out`,
  { timeout: 3_600_000 },
  async () => {
    const sessions = sessionsWith(REUSE_MS / 1000);
    await fc.assert(
      fc.asyncProperty(fc.array(honest, { minLength: 3, maxLength: 14 }), async (steps) => {
        expect(await play(sessions, steps)).toEqual({ wronged: false, missed: false });
      }),
      { numRuns: RUNS },
    );
  },
);

test(
  `in ${RUNS} orders with a thief an old copy ends the session, and nothing else does`,
  { timeout: 3_600_000 },
  async () => {
    const sessions = sessionsWith(REUSE_MS / 1000);
    await fc.assert(
      fc.asyncProperty(fc.array(any, { minLength: 4, maxLength: 18 }), async (steps) => {
        expect(await play(sessions, steps)).toEqual({ wronged: false, missed: false });
      }),
      { numRuns: RUNS },
    );
  },
);

test(
  'the proof sees a server that never minds old copies, and one that minds slow twins',
  { timeout: 600_000 },
  async () => {
    const steal: Step[] = [
      { kind: 'steal' },
      { kind: 'victim', tabs: 1, lost: false },
      { kind: 'victim', tabs: 1, lost: false },
      { kind: 'wait', ms: 60_000 },
      { kind: 'thief' },
    ];
    expect((await play(sessionsWith(REUSE_MS / 1000), steal)).missed).toBe(false);
    expect((await play(sessionsWith(1_000_000), steal)).missed).toBe(true);
    const [old, impatient] = [sessionsWith(1_000_000), sessionsWith(0)];
    const found = async (sessions: Sessions): Promise<boolean> =>
      (
        await fc.check(
          fc.asyncProperty(fc.array(any, { minLength: 4, maxLength: 18 }), async (steps) => {
            expect(await play(sessions, steps)).toEqual({ wronged: false, missed: false });
          }),
          { numRuns: 2_000, endOnFailure: true },
        )
      ).failed;
    expect(await found(old)).toBe(true);
    expect(await found(impatient)).toBe(true);
  },
);
