import type { Fault } from './fault.ts';

const CODES = [
  'tests/operations/{access-codes,crew,staff-moves,staff-undo,bookings}.test.ts',
  'tests/functions/{regenerate-pin,identity-and-locks}.test.ts',
  'tests/interleaving/interleaving.test.ts',
];

export const ACCESS: readonly Fault[] = [
  {
    title: 'A new code is made for a booking that was cancelled before the lock on it was taken',
    file: 'server/operations/access/renew-code.ts',
    find: `if (booking?.status !== 'confirmed') throw`,
    replace: 'if (!booking) throw',
    tests: CODES,
  },
  {
    title: 'A code that the lock accepts while its booking is moved works until its end',
    file: 'server/operations/access/codes.ts',
    find: `const isLate = !isEntitled || (await readCode(tx, holder, code.id))?.status !== 'issued';`,
    replace: 'const isLate = !isEntitled;',
    tests: CODES,
  },
  {
    title: 'A move leaves a code that has been requested and not yet issued',
    file: 'server/operations/access/queue-access.ts',
    find: `where booking_id = $1::uuid and status in ('requested', 'issued')`,
    replace: `where booking_id = $1::uuid and status = 'issued'`,
    tests: CODES,
  },
  {
    title: 'The lock reports a code, and an ended code with the same digits counts as used too',
    file: 'server/operations/access/record-use.ts',
    find: ` and s.live returning c.id, c.booking_id`,
    replace: ` returning c.id, c.booking_id`,
    tests: [...CODES, 'tests/api/doors.test.ts'],
  },
  {
    title: 'A request for a staff code with another end, sent with the same id, shows the earlier code',
    file: 'server/operations/access/staff-codes.ts',
    find: '(existing.studioId === request.studioId && +existing.endsAt === +request.endTime)',
    replace: 'existing.studioId === request.studioId',
    tests: ['tests/operations/access-codes.test.ts', 'tests/functions/*.test.ts', 'tests/api/doors.test.ts'],
  },
  {
    title: 'A code begins early although a customer who is paying has the hours before',
    file: 'server/operations/access/times.ts',
    find: `b.status in ('pending', 'confirmed')`,
    replace: `b.status = 'confirmed'`,
    tests: CODES,
  },
  {
    title: 'The link to the code of one booking shows the code of every booking',
    file: 'server/functions/access/regenerate-pin.ts',
    find: 'services.links.read(PIN_LINK, token, services.clock()) === bookingId',
    replace: 'services.links.read(PIN_LINK, token, services.clock()) !== null',
    tests: [...CODES, 'tests/api/doors.test.ts'],
  },
  {
    title: 'A guest who was taken back before the lock on the booking was taken gets a code',
    file: 'server/operations/crew/guest-codes.ts',
    find: 'const member = await read();',
    replace: 'const member = found;',
    tests: ['tests/operations/{crew,access-codes}.test.ts', 'tests/interleaving/interleaving.test.ts'],
  },
];
