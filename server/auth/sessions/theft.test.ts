import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { temporaryKeys, type Keys } from '#server/crypto/keys.ts';
import { openMigratedDatabase } from '#tests/support/image.ts';
import { onlyGiven } from '#tests/support/providers/services.ts';
import type { UserRow } from '../accounts/users.ts';
import { AuthRefusal } from '../core/errors.ts';
import type { AuthContext } from '../core/context.ts';
import { beginSessionIn } from './begin.ts';
import { refreshSession } from './refresh.ts';
import { createRotate, type Rotate } from './rotations.ts';

/**
 * Property test of refresh tokens: a victim and a thief, concurrent tabs, lost responses and slow requests, in generated orders with a
 * fake clock. The expectation depends only on which token was presented when, not on how the server stores sessions.
 */
const RUNS = process.env['TEST_LONG'] ? 10_000 : 150;
const REUSE_MS = 10_000;
const USER = randomUUID();
let db: Database;
let keys: Keys;
let now = Date.parse('2026-05-01T00:00:00Z');

type Context = AuthContext & { readonly rotate: Rotate };

function contextWith(reuseSeconds: number): Context {
  const config = {
    apiUrl: 'http://localhost:4000',
    accessTokenSeconds: 3_600,
    reuseSeconds,
    sessionSeconds: null,
    inactivitySeconds: null,
    singleSession: false,
  };
  const clock = (): Date => new Date(now);
  return onlyGiven<Context>({
    db,
    keys,
    rotate: createRotate({ db, clock, config }),
    sessions: { alive: () => Promise.resolve(true), forget: () => undefined },
    admitRefresh: async () => null,
    clock,
    config,
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
  /** `tabs` refresh at the same time. With one tab, the response may be lost. */
  | { readonly kind: 'victim'; readonly tabs: number; readonly lost: boolean }
  /** A request of the victim that was sent before the last refresh and arrives now. */
  | { readonly kind: 'slow' }
  | { readonly kind: 'steal' }
  | { readonly kind: 'thief' };
const waits = fc.constantFrom(1, 500, 4_000, 9_999, 10_000, 10_001, 60_000, 3_600_000);
const honest: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), ms: waits }),
  fc.record({ kind: fc.constant('victim' as const), tabs: fc.integer({ min: 1, max: 4 }), lost: fc.boolean() }),
  fc.constant({ kind: 'slow' as const }),
);
const any: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: honest },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'steal' as const }, { kind: 'thief' as const }) },
);

type Outcome = {
  /** The victim was signed out although no token older than allowed had been presented. */
  readonly signedOutWrongly: boolean;
  /** A token older than allowed was accepted, or the session continued after one was presented. */
  readonly acceptedStolen: boolean;
};

/** Runs the steps on a new session. */
async function run(context: Context, steps: readonly Step[]): Promise<Outcome> {
  const user = { id: USER, email: 'victim@example.com' };
  const begun = await db.transaction((tx) =>
    // A session reads only these columns of its user.
    beginSessionIn(context, tx, user as UserRow, 'password', { ip: '10.0.0.1', userAgent: null }),
  );
  const first = String(begun.response['refresh_token']);
  // All tokens in the order of issue, and when each was first rotated.
  const issued = [first];
  const rotated = new Map<string, number>();
  let [current, stolen, before]: [string, string | null, string | null] = [first, null, null];
  let ended = false;
  const outcome = { signedOutWrongly: false, acceptedStolen: false };

  /** Presents a token and records where the result differs from the expectation. */
  async function present(token: string): Promise<string | null> {
    const age = issued.length - 1 - issued.indexOf(token);
    const stolenByAge = age >= 2 && now - (rotated.get(token) ?? 0) >= REUSE_MS;
    const answer = await refreshSession(context, token, '10.0.0.1').catch((error: unknown) => {
      if (error instanceof AuthRefusal) return null;
      throw error;
    });
    if (answer !== null && (stolenByAge || ended)) outcome.acceptedStolen = true;
    if (answer === null && !stolenByAge && !ended) outcome.signedOutWrongly = true;
    if (stolenByAge) ended = true;
    const next = answer === null ? null : String(answer['refresh_token']);
    if (next !== null && age === 0) rotated.set(token, now);
    if (next !== null && !issued.includes(next)) issued.push(next);
    return next;
  }

  for (const step of steps) {
    if (step.kind === 'wait') now += step.ms;
    else if (step.kind === 'steal') stolen = current;
    else if (step.kind === 'thief') stolen = stolen === null ? null : ((await present(stolen)) ?? stolen);
    else if (step.kind === 'slow') {
      // Slow requests last no longer than the reuse time.
      if (before !== null && now - (rotated.get(before) ?? 0) < REUSE_MS) await present(before);
    } else {
      const request = current;
      for (let tab = 0; tab < step.tabs; tab += 1) {
        const answer = await present(request);
        if (answer !== null && !(step.lost && step.tabs === 1)) [before, current] = [request, answer];
      }
    }
  }
  return outcome;
}

test(
  `in ${RUNS} orders of tabs, lost responses and slow requests no honest client is signed out`,
  { timeout: 3_600_000 },
  async () => {
    const context = contextWith(REUSE_MS / 1000);
    await fc.assert(
      fc.asyncProperty(fc.array(honest, { minLength: 3, maxLength: 14 }), async (steps) => {
        expect(await run(context, steps)).toEqual({ signedOutWrongly: false, acceptedStolen: false });
      }),
      { numRuns: RUNS },
    );
  },
);

test(
  `in ${RUNS} orders with a thief, a stolen copy ends the session and nothing else does`,
  { timeout: 3_600_000 },
  async () => {
    const context = contextWith(REUSE_MS / 1000);
    await fc.assert(
      fc.asyncProperty(fc.array(any, { minLength: 4, maxLength: 18 }), async (steps) => {
        expect(await run(context, steps)).toEqual({ signedOutWrongly: false, acceptedStolen: false });
      }),
      { numRuns: RUNS },
    );
  },
);

test(
  'the property detects a server that accepts old copies, and one that refuses slow concurrent requests',
  { timeout: 600_000 },
  async () => {
    const steal: Step[] = [
      { kind: 'steal' },
      { kind: 'victim', tabs: 1, lost: false },
      { kind: 'victim', tabs: 1, lost: false },
      { kind: 'wait', ms: 60_000 },
      { kind: 'thief' },
    ];
    expect((await run(contextWith(REUSE_MS / 1000), steal)).acceptedStolen).toBe(false);
    expect((await run(contextWith(1_000_000), steal)).acceptedStolen).toBe(true);
    const [lenient, strict] = [contextWith(1_000_000), contextWith(0)];
    const found = async (context: Context): Promise<boolean> =>
      (
        await fc.check(
          fc.asyncProperty(fc.array(any, { minLength: 4, maxLength: 18 }), async (steps) => {
            expect(await run(context, steps)).toEqual({ signedOutWrongly: false, acceptedStolen: false });
          }),
          { numRuns: 2_000, endOnFailure: true },
        )
      ).failed;
    expect(await found(lenient)).toBe(true);
    expect(await found(strict)).toBe(true);
  },
);
