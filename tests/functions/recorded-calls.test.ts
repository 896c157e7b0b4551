import { expect, test } from 'vitest';
import { ROWS } from './rows.ts';
import { BOOKING, createFunctionsApp, type FunctionsApp, STUDIO } from './test-app.ts';

/** An hour that staff give to a guest for free. */
const FREE_HOUR = {
  studioId: STUDIO,
  startTime: '2031-03-03T00:00:00Z',
  endTime: '2031-03-03T01:00:00Z',
  customerEmail: 'guest@example.com',
  customerName: 'Sam Guest',
  payment: 'free',
};

/** Further bodies for functions that do several things. */
const MORE: Readonly<Record<string, readonly unknown[]>> = {
  'staff-set-room': [{ order: [BOOKING] }, { order: [] }, { studioId: null, room: {} }],
  'staff-set-prices': [
    { studioId: null, firstDay: '2031-03-03', lastDay: '2031-03-04', name: 'Show', hourCents: Array(24).fill(9_900) },
    { studioId: BOOKING, firstDay: '2031-03-03' },
  ],
  'staff-booking-document': [
    { bookingId: BOOKING, format: 'html' },
    { bookingId: BOOKING, format: 'doc' },
  ],
  'staff-create-booking': [
    {
      ...FREE_HOUR,
      series: { dates: ['2031-03-03', '2031-03-10'] },
    },
    {
      ...FREE_HOUR,
      series: { dates: ['2031-03-03'] },
    },
    {
      studioId: STUDIO,
      startTime: '2031-03-03T00:00:00Z',
      endTime: '2031-03-03T01:00:00Z',
      customerEmail: ' Guest@Example.com ',
      customerName: ' Sam Guest ',
      customerPhone: '0412 345 678',
      payment: 'link',
      priceCents: 4_000,
      notes: ' Brings vinyl ',
    },
    {
      studioId: STUDIO,
      startTime: '2031-03-03T00:00:00Z',
      endTime: '2031-03-03T01:00:00Z',
      customerEmail: 'guest@example.com',
      customerName: 'Sam Guest',
      payment: 'link',
      notes: 'Test',
    },
  ],
  'staff-close': [
    { studioId: null, startTime: '2031-03-03T00:00:00Z', endTime: '2031-03-03T01:00:00Z', reason: ' Paint ', weeks: 3 },
    {
      studioId: null,
      startTime: '2031-03-03T00:00:00Z',
      endTime: '2031-03-03T01:00:00Z',
      reason: 'Paint',
      public: true,
      endless: true,
    },
    {
      studioId: null,
      startTime: '2031-03-03T00:00:00Z',
      endTime: '2031-03-03T01:00:00Z',
      reason: 'Paint',
      repeatUntil: '2031-03-24',
    },
    {
      studioId: null,
      startTime: '2031-03-03T00:00:00Z',
      endTime: '2031-03-03T01:00:00Z',
      reason: 'Paint',
      endless: true,
      weeks: 2,
    },
  ],
  'staff-set-second-factor': [
    { permissions: ['money', 'bookings'], graceDays: 3 },
    { permissions: [], graceDays: 31 },
    { permissions: ['everything'] },
  ],
  'staff-cancel-booking': [
    { bookingId: BOOKING, refund: 'terms', reason: ' Ill ', undoable: true },
    { bookingId: BOOKING, refund: 0, reason: 'Ill', series: true },
    { bookingId: BOOKING, refund: -1, reason: 'Ill' },
  ],
};

const MORE_ANSWERS = {
  orderRooms: () => undefined,
  cancelSeriesForStaff: () => ({ refundCents: 0, byHand: false, undo: null, cancelled: 2 }),
};

type Seen = {
  readonly sent: unknown;
  readonly status: number;
  readonly type: string | null;
  readonly answer: string;
  readonly calls: FunctionsApp['calls'];
};

/**
 * After an intended change, run `node_modules/.bin/vitest run tests/functions/recorded-calls.test.ts -u` with the project's Node, and
 * review the changes in the file.
 */
test('each function passes to its operation, and answers, exactly what recorded-calls.json says, also for bodies that it refuses', async () => {
  const recorded: Record<string, Seen[]> = {};
  for (const { name, callers, body, answers } of ROWS) {
    const by = callers === 'signed-in' ? 'person' : callers === 'everyone' ? 'guest' : 'staff';
    const seen: Seen[] = [];
    for (const sent of [body ?? {}, ...(MORE[name] ?? []), null, [], 'text', {}]) {
      const app = createFunctionsApp();
      Object.assign(app.answers, answers, MORE_ANSWERS);
      const response = await app.send(name, by, { body: typeof sent === 'string' ? JSON.stringify(sent) : sent });
      const calls = app.calls.filter(([operation]) => operation !== 'readCaller');
      seen.push({
        sent,
        status: response.status,
        type: response.headers.get('content-type'),
        answer: await response.text(),
        calls,
      });
    }
    recorded[name] = seen;
  }
  const failed = Object.entries(recorded).filter(([, seen]) => seen.some(({ status }) => status >= 500));
  expect(failed.map(([name]) => name)).toEqual([]);
  await expect(`${JSON.stringify(recorded, null, 1)}\n`).toMatchFileSnapshot('recorded-calls.json');
});
