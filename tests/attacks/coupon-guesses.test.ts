import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { readSourceFiles } from '#tests/support/source-files.ts';
import { checkout, span, STUDIO_A, type TestServer } from '#tests/support/test-server.ts';

/** Number of guesses per minute that one address may make. */
const GUESSES = 30;

type Hours = { readonly startTime: string; readonly endTime: string };
/** Returns the path and body of a call that tries a code. */
type Guess = (code: string, hours: Hours) => { readonly path: string; readonly body: object };

/** Every function that accepts a coupon code from a caller without a permission. A test below finds functions that are missing here. */
const ACCEPTING: Readonly<Record<string, Guess>> = {
  'create-payment': (couponCode, hours) => ({
    path: '/functions/v1/create-payment',
    body: checkout(hours, { couponCode }, STUDIO_A),
  }),
  'quote-series': (couponCode, hours) => ({
    path: '/functions/v1/quote-series',
    body: { studioId: STUDIO_A, ...hours, weeks: 2, couponCode },
  }),
  validate_discount_code: (code_input) => ({
    path: '/rest/v1/rpc/validate_discount_code',
    body: { code_input, booking_hours: 1 },
  }),
};
/** Functions that mention codes without accepting a guess. */
const OTHERS: Readonly<Record<string, string>> = {
  'release-hold': 'answers the code that the hold had',
};

describe.each(engines)('guesses of coupon codes on $name', ({ open }) => {
  let server: TestServer;
  let person: string;
  let addresses = 0;
  beforeAll(async () => {
    server = await open({ RATE_LIMIT_FACTOR: '1', TRUSTED_PROXIES: '1' });
    person = (await server.addCustomer()).token;
    await server.app.db.query(
      `insert into public.discount_codes (code, discount_type, discount_value, active) values ('ASLEEP', 'percentage', 50, false)`,
    );
  }, 180_000);
  afterAll(() => server.close());

  const guest = (): string => server.app.keys.anonKey;
  async function send(guess: Guess, code: string, { token, address }: { token: string; address: string }) {
    const { path, body } = guess(code, span(server.now(), 72));
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: {
        apikey: guest(),
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'x-forwarded-for': address,
      },
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  }
  const nextAddress = (): string => `203.0.113.${(addresses += 1)}`;

  /**
   * Guesses from one address until a guess is refused. Returns the statuses before the refusal, and how many more guesses the elapsed time
   * allowed.
   */
  async function guessUntilRefused(guesses: readonly Guess[], token: string) {
    const address = nextAddress();
    const began = performance.now();
    const statuses: number[] = [];
    for (let index = 0; index < 3 * GUESSES; index += 1) {
      const guess = guesses[index % guesses.length];
      const status = guess === undefined ? 0 : (await send(guess, `GUESS${index}`, { token, address })).status;
      if (status === 429) break;
      statuses.push(status);
    }
    const back = Math.ceil(((performance.now() - began) / 60_000) * GUESSES);
    return { address, statuses, back };
  }

  test.each(Object.entries(ACCEPTING))('guess 31 of %s from one address is 429, as a guest', async (name, guess) => {
    const { statuses, back } = await guessUntilRefused([guess], guest());
    if (statuses[0] === 401) {
      // A guest cannot try a code here.
      expect([name, new Set(statuses)]).toEqual(['create-payment', new Set([401])]);
      return;
    }
    expect(statuses.length).toBeGreaterThanOrEqual(GUESSES);
    expect(statuses.length).toBeLessThanOrEqual(GUESSES + back);
  });

  test.each(Object.entries(ACCEPTING))(
    'guess 31 of %s from one address is 429, as a customer',
    async (_name, guess) => {
      const { statuses, back } = await guessUntilRefused([guess], (await server.addCustomer()).token);
      expect(statuses.length).toBeGreaterThan(0);
      expect(statuses.length).toBeLessThanOrEqual(GUESSES + back);
    },
  );

  test('guesses of all functions from one address count together, of guests and customers', async () => {
    const guesses = [ACCEPTING['quote-series'], ACCEPTING['validate_discount_code']].filter(
      (guess) => guess !== undefined,
    );
    const { address, statuses, back } = await guessUntilRefused(guesses, guest());
    expect(statuses.length).toBeLessThanOrEqual(GUESSES + back);
    // Each unit that comes back in the meantime admits one guess, so all but a few of these are refused.
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => Object.values(ACCEPTING))
        .flat()
        .map((guess) => send(guess, 'ANOTHER', { token: person, address })),
    );
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(answers.length / 2);
  });

  test.each(Object.entries(ACCEPTING))(
    '%s answers the same for an unknown and an inactive code',
    async (_name, guess) => {
      const { token } = await server.addCustomer();
      const from = { token, address: nextAddress() };
      const unknown = await send(guess, 'NOWHERE', from);
      expect(await send(guess, 'ASLEEP', from)).toEqual(unknown);
    },
  );

  test('every function that accepts a code is in this file', async () => {
    const functions = readSourceFiles()
      .filter(({ path, text }) => /^contracts\/[^.]+\.ts$/.test(path) && /coupon_?code/i.test(text))
      .map(({ path }) => path.replace(/^.*\/|\.ts$/g, ''));
    const { rows } = await server.app.db.query<{ name: string }>(
      `select distinct p.proname as name from pg_proc p
       where p.pronamespace = 'public'::regnamespace and p.prosrc !~ 'require_permission'
         and has_function_privilege('authenticated', p.oid, 'execute')
         and p.prosrc ~ 'public\\.discount_codes|private\\.coupon_(problem|units)'`,
    );
    expect([...functions, ...rows.map(({ name }) => name)].toSorted()).toEqual(
      [...Object.keys(ACCEPTING), ...Object.keys(OTHERS)].toSorted(),
    );
  }, 120_000);
});
