import { describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import type { Caller } from '#server/http/caller.ts';
import { createCouponGuesses } from '#server/operations/bookings/coupon-guesses.ts';
import { prepareImage, readDataUrl } from '#server/operations/id-image.ts';
import { createPeople } from '#server/operations/people.ts';
import { createPowerControl } from '#server/operations/power.ts';
import { createTestPins } from '#server/operations/test-pins.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { LockCapabilities, Locks, Power } from '#server/providers/ports.ts';

/** Operations that ask the database one thing at most: it answers `row` to everything and remembers what it was asked with. */
function databaseThatAnswers(row: Record<string, unknown> | null): { db: Database; asked: (readonly unknown[])[] } {
  const asked: (readonly unknown[])[] = [];
  const answer = (_text: string, values: readonly unknown[] = []): void => void asked.push(values);
  const db = {
    one: async (text: string, values?: readonly unknown[]) => (answer(text, values), row),
    query: async (text: string, values?: readonly unknown[]) => (answer(text, values), { rows: [], count: 0 }),
  };
  // Cast: nothing else of a database is used here.
  return { db: db as unknown as Database, asked };
}

describe('who may act as staff', () => {
  const caller = (role: string, userId: string | null = null): Caller =>
    ({ role, userId, sessionId: 'session', ip: '', claims: {}, claimsJson: '{}' }) as Caller;
  const notStaff = { code: 'not_yours', message: 'Only staff can do this.' };

  test('is the service key, without a look at the database', async () => {
    const { db, asked } = databaseThatAnswers({ staff: false });
    const people = createPeople({ db, developerPages: true });
    await people.requireStaff(caller('service_role'));
    await people.requireDeveloper(caller('service_role'));
    expect(asked).toEqual([]);
  });

  test('is whoever the database calls staff at this moment, with their session', async () => {
    const { db, asked } = databaseThatAnswers({ staff: true });
    const people = createPeople({ db, developerPages: true });
    await people.requireStaff(caller('authenticated', 'me'));
    expect(asked).toEqual([['me', 'session']]);
  });

  test('is nobody else: not signed in, without an account, not staff, or not answered for', async () => {
    for (const row of [{ staff: false }, null]) {
      const { db } = databaseThatAnswers(row);
      const people = createPeople({ db, developerPages: true });
      await expect(people.requireStaff(caller('authenticated', 'me'))).rejects.toMatchObject(notStaff);
    }
    const { db } = databaseThatAnswers({ staff: true });
    const people = createPeople({ db, developerPages: true });
    await expect(people.requireStaff(caller('anon'))).rejects.toMatchObject({
      code: 'not_signed_in',
      message: 'Please sign in first.',
    });
    await expect(people.requireStaff(caller('authenticated'))).rejects.toMatchObject(notStaff);
    await expect(people.requireDeveloper(caller('anon'))).rejects.toMatchObject({ code: 'not_signed_in' });
  });

  test('finds no developer pages where they are switched off', async () => {
    const { db } = databaseThatAnswers({ staff: true });
    const people = createPeople({ db, developerPages: false });
    await expect(people.requireDeveloper(caller('authenticated', 'me'))).rejects.toMatchObject({
      code: 'not_found',
      message: 'The developer pages are switched off.',
    });
  });
});

describe('looks at a coupon code', () => {
  test('pass while the database admits them, counted for the person and the address', async () => {
    const { db, asked } = databaseThatAnswers({ admitted: true, wait: 12 });
    await createCouponGuesses({ db }).count('me', '203.0.113.7');
    expect(asked).toEqual([['me', '203.0.113.7']]);
  });

  test.each([
    [{ admitted: false, wait: 12 }, 12],
    [{ admitted: false, wait: 0 }, 1],
    [null, 60],
  ])('are refused with the seconds to wait: %j means %i', async (row, retryAfter) => {
    const { db } = databaseThatAnswers(row);
    await expect(createCouponGuesses({ db }).count('me', '')).rejects.toMatchObject({
      code: 'too_many_requests',
      message: 'Too many attempts. Please try again in a minute.',
      details: { retryAfter },
    });
  });
});

describe('a photo of a licence', () => {
  const cannotBeRead = {
    code: 'image_refused',
    message: 'This picture cannot be read. Please use a JPEG, PNG or WebP photo.',
  };
  const jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]);
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47]);
  const webp = Uint8Array.from(Buffer.from('RIFF....WEBP'));

  test.each([
    ['JPEG', jpeg],
    ['PNG', png],
    ['WebP', webp],
  ])('that is a %s is repacked, at most 2400 pixels wide', async (_kind, bytes) => {
    const edges: number[] = [];
    const pictures = {
      repack: async (_bytes: Uint8Array, edge: number) => (edges.push(edge), Uint8Array.from([1])),
    };
    expect(await prepareImage(pictures, bytes)).toEqual(Uint8Array.from([1]));
    expect(edges).toEqual([2_400]);
  });

  test('that is none of these is refused unopened, whatever it calls itself', async () => {
    const pictures = { repack: () => Promise.reject(new Error('not asked in this test')) };
    const others = [
      Uint8Array.from([0xff, 0xd8, 0x00, 0xe0]),
      Uint8Array.from([0xff, 0x00, 0xff]),
      Uint8Array.from([0x00, 0xd8, 0xff]),
      Uint8Array.from(Buffer.from('\u0000PNG')),
      Uint8Array.from(Buffer.from('RIFF....WAVE')),
      Uint8Array.from(Buffer.from('....----WEBP')),
      new Uint8Array(),
    ];
    for (const bytes of others) await expect(prepareImage(pictures, bytes)).rejects.toMatchObject(cannotBeRead);
  });

  test('that cannot be opened is refused; with too many waiting the customer is asked to try again', async () => {
    await expect(prepareImage({ repack: () => Promise.resolve('unreadable') }, jpeg)).rejects.toMatchObject(
      cannotBeRead,
    );
    await expect(prepareImage({ repack: () => Promise.resolve('busy') }, jpeg)).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'Your ID could not be read right now. Please try again in a moment.',
    });
  });

  test('comes as a data URL of at most 10 MB', () => {
    expect([...readDataUrl('data:image/jpeg;base64,AQID')]).toEqual([1, 2, 3]);
    for (const kind of ['jpg', 'png', 'webp']) expect(readDataUrl(`data:image/${kind};base64,AQI=`)).toHaveLength(2);
    for (const text of ['data:image/gif;base64,AQID', 'data:image/png;base64,', 'xdata:image/png;base64,AQID', 'AQID'])
      expect(() => readDataUrl(text), text).toThrow(expect.objectContaining(cannotBeRead));
    const most = 10 * 1024 * 1024;
    const url = (bytes: number): string => `data:image/png;base64,${Buffer.alloc(bytes).toString('base64')}`;
    expect(readDataUrl(url(most))).toHaveLength(most);
    expect(() => readDataUrl(url(most + 1))).toThrow(
      expect.objectContaining({ code: 'image_refused', message: 'Image size must be less than 10MB' }),
    );
  });
});

describe('the smart plug', () => {
  /** A plug that does as it is told, unless `stuck`. */
  function plug({ stuck = false, error = null as Error | null } = {}) {
    const state = { on: false, pulses: [] as number[] };
    const power: Power = {
      set: async (on) => {
        if (error) throw error;
        if (!stuck) state.on = on;
      },
      pulse: async (seconds) => {
        if (error) throw error;
        state.pulses.push(seconds);
      },
      isOn: async () => state.on,
    };
    const { db, asked } = databaseThatAnswers(null);
    return { control: createPowerControl({ db, power }), state, asked };
  }
  const unreachable = { code: 'provider_unavailable', message: 'The smart plug cannot be reached.' };

  test('is switched and read back, and pulsed for two seconds; who asked is written down first', async () => {
    const { control, state, asked } = plug();
    await control.set(true, 'me');
    expect(state.on).toBe(true);
    await control.set(false, 'me');
    expect(state.on).toBe(false);
    await control.test('me');
    expect(state.pulses).toEqual([2]);
    expect(asked).toEqual([
      ['me', { on: true }],
      ['me', { on: false }],
      ['me', { test: true }],
    ]);
  });

  test('that does not switch or does not answer is said to be out of reach; another fault is passed on', async () => {
    await expect(plug({ stuck: true }).control.set(true, 'me')).rejects.toMatchObject(unreachable);
    const silent = plug({ error: new ProviderError('plug', 'no_answer', { retryable: true }) });
    await expect(silent.control.set(true, 'me')).rejects.toMatchObject(unreachable);
    await expect(silent.control.test('me')).rejects.toMatchObject(unreachable);
    const fault = new Error('a fault of our own');
    await expect(plug({ error: fault }).control.test('me')).rejects.toBe(fault);
  });
});

describe('a test code', () => {
  /** 3 pm in Sydney. */
  const now = new Date('2031-03-01T04:20:00Z');
  function pins(mode: LockCapabilities['mode'], lockIds: readonly string[] = ['lock-1', 'lock-2']) {
    const given: Parameters<Locks['issueCode']>[0][] = [];
    const locks = {
      capabilities: { mode },
      issueCode: async (input: Parameters<Locks['issueCode']>[0]) => (
        given.push(input),
        { pin: input.pin, providerCodeId: 'code-1' }
      ),
    };
    const { db, asked } = databaseThatAnswers(null);
    // Cast: nothing else of a lock is used here.
    const testPins = createTestPins({ db, locks: locks as unknown as Locks, lockIds, clock: () => now });
    return { testPins, given, asked };
  }

  test.each([
    ['bridge', 0],
    ['hourly', 1],
  ] as const)(
    'of a %s lock works at the first lock from this hour to 7 pm, and is written down without its digits',
    async (mode, variant) => {
      const { testPins, given, asked } = pins(mode);
      const [startTime, endTime] = [new Date('2031-03-01T04:00:00Z'), new Date('2031-03-01T08:00:00Z')];
      const made = await testPins.issue('me');
      expect(made).toEqual({
        pin: expect.stringMatching(/^[1-9]\d{5}$/),
        pinId: 'code-1',
        deviceId: 'lock-1',
        startTime,
        endTime,
      });
      expect(given).toEqual([
        { lockId: 'lock-1', startsAt: startTime, endsAt: endTime, accessName: 'TEST', variant, pin: made.pin },
      ]);
      expect(asked).toEqual([['me', 'lock-1', { until: endTime }]]);
    },
  );

  test('needs a lock', async () => {
    await expect(pins('bridge', []).testPins.issue('me')).rejects.toMatchObject({
      name: 'ProviderError',
      reason: 'no_lock_set',
      retryable: false,
    });
  });
});
