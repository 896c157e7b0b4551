import { expect, test } from 'vitest';
import { DatabaseError } from '#server/db/database.ts';
import { createRowDatabase } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { undoForStaff } from './undo.ts';

const NOW = new Date('2031-03-01T00:00:00Z');
const HOUR = 3_600_000;
const START = new Date(+NOW + 48 * HOUR);
const BOOKING = {
  id: 'b',
  reference: '7KQM-4TXR',
  userId: 'u',
  guestEmail: null,
  status: 'cancelled',
  studioId: 's',
  studioName: 'Studio A',
  startTime: START.toISOString(),
  endTime: new Date(+START + HOUR).toISOString(),
  createdAt: NOW.toISOString(),
  confirmedAt: NOW.toISOString(),
  termsStart: START.toISOString(),
  holdExpiresAt: null,
  finalCostCents: 4_900,
  moves: 1,
  slots: [],
};
const ACTION = {
  id: 'undo',
  kind: 'cancel',
  moveNumber: null,
  before: { ...BOOKING, status: 'confirmed' },
  jobs: [],
  until: new Date(+NOW + 1),
  undoneAt: null,
};

/** Undoes an action with these rows. Returns the answer or refusal, and the statements that change rows. */
async function undo({
  booking = {},
  action = {},
  access = { code: true, mail: true },
  closed = null as object | null,
}: {
  booking?: object;
  action?: object;
  access?: object | null;
  closed?: object | null;
} = {}) {
  const before = { ...BOOKING, ...booking, status: 'confirmed' };
  const { db, statements } = createRowDatabase({
    'select booking_id as id': { id: 'b' },
    lock_booking: { value: { ...BOOKING, ...booking } },
    'from private.undo where id': { ...ACTION, before, ...action },
    'as code': access,
    'from private.closed_span': closed,
  });
  const services = servicesWith({ db, clock: () => NOW });
  const answer = await undoForStaff(services, { undoId: 'undo', actor: 'staff' }).catch(
    (error: { code: string }) => error.code,
  );
  const changes = statements.flatMap(({ text, values }) => {
    const [, what, table = ''] = /^\s*(insert into|update|delete from) (\S+)/.exec(text) ?? [];
    if (what === undefined) return [];
    return [table === 'private.outbox' && what === 'insert into' ? `${table} ${String(values[1])}` : table];
  });
  return { answer, changes };
}

const GUEST = { userId: null, guestEmail: 'guest@example.com' };
const NOBODY = { userId: null };
test.each([
  ['an account', {}, true, true, []],
  ['an account', {}, true, false, ['request', 'mail']],
  ['an account', {}, false, true, ['request']],
  ['an account', {}, false, false, ['request', 'mail']],
  ['a guest', GUEST, true, false, ['request', 'mail']],
  ['a guest', GUEST, true, true, []],
  ['nobody', NOBODY, true, false, []],
  ['nobody', NOBODY, true, true, []],
  ['nobody', NOBODY, false, false, ['request']],
  ['nobody', NOBODY, false, true, ['request']],
])(
  'an undone cancellation of %s, %j, with a code (%s) and its mail (%s) queues %j',
  async (_who, booking, code, mail, queued) => {
    const { answer, changes } = await undo({ booking, access: { code, mail } });
    expect(answer).toEqual({ bookingId: 'b', reference: '7KQM-4TXR', kind: 'cancel' });
    const found = [
      ...changes.filter((change) => change === 'private.outbox access.request').map(() => 'request'),
      ...changes.filter((change) => change === 'public.scheduled_emails').map(() => 'mail'),
    ];
    expect(found).toEqual(queued);
  },
);

const MOVE = { kind: 'move', moveNumber: 1 };
test.each([
  ['a cancellation of a booking that is confirmed', { booking: { status: 'confirmed' } }],
  ['a cancellation at its end', { action: { until: NOW } }],
  ['a move that was followed by another', { booking: { status: 'confirmed', moves: 2 }, action: MOVE }],
  ['a move of a booking that was cancelled since', { action: MOVE }],
  ['a cancellation whose job has begun', { action: { jobs: ['job'] } }],
])('%s is not undone', async (_what, rows) => {
  const { answer, changes } = await undo(rows);
  expect(answer).toBe('too_late');
  expect(changes).not.toContain('private.booking');
});

test('an action that was undone before is answered again without a change, and closed hours stay closed', async () => {
  const again = await undo({ action: { undoneAt: NOW, until: NOW } });
  expect(again).toEqual({ answer: { bookingId: 'b', reference: '7KQM-4TXR', kind: 'cancel' }, changes: [] });
  expect((await undo({ closed: {} })).answer).toBe('slot_closed');
  const moved = await undo({ booking: { status: 'confirmed' }, action: MOVE });
  expect(moved.answer).toMatchObject({ kind: 'move' });
  expect(moved.changes).toEqual(
    expect.arrayContaining(['private.booking_move', 'private.booking', 'private.outbox access.request']),
  );
  expect(moved.changes).not.toContain('private.outbox mail.booking-moved');
});

const constraint = (name: string): DatabaseError =>
  new DatabaseError({ code: '23505', message: 'refused', constraint: name });
const broken = new Error('an error of our own');
test.each<[string, Error, object]>([
  [
    'was booked by someone else in the meantime',
    constraint('booking_one_per_slot'),
    { code: 'slot_taken', message: 'Someone else has booked these hours in the meantime.' },
  ],
  [
    'was closed in the meantime',
    constraint('booking_not_closed'),
    { code: 'slot_closed', message: 'The studio is now closed at this time.' },
  ],
  [
    'was refunded at the provider',
    constraint('booking_confirmed_is_paid'),
    { code: 'too_late', message: 'This can no longer be undone, because its emails and refunds have been sent.' },
  ],
  ['breaks another rule', constraint('booking_hours'), { name: 'DatabaseError', constraint: 'booking_hours' }],
  ['fails by an error of ours', broken, broken],
])('the undoing of an action whose booking %s', async (_what, error, expected) => {
  const db = { transaction: () => Promise.reject(error) };
  await expect(undoForStaff(servicesWith({ db }), { undoId: 'u', actor: 's' })).rejects.toMatchObject(expected);
});
