import type { Fault } from './fault.ts';

const DELETION = ['tests/api/account-ends.test.ts', 'tests/sql/*.test.ts'];

export const PRIVACY: readonly Fault[] = [
  {
    title: 'Unfinished uploads of a deleted account stay',
    file: 'database/code/accounts/deletion.sql',
    find: '  delete from storage.uploads o where o.owner = p_user;\n',
    replace: '',
    tests: DELETION,
  },
  {
    title: 'The address of a deleted account stays with its bookings',
    file: 'database/code/accounts/deletion.sql',
    find: 'update private.booking b set user_id = null, contact_phone = null, guest_email = null,',
    replace: 'update private.booking b set user_id = null, contact_phone = null,',
    tests: DELETION,
  },
  {
    title: 'A reminder goes to a telephone number that its owner has not confirmed',
    file: 'server/operations/mails/reminders.ts',
    find: 'phone is not null and phone_confirmed_at is not null and deleted_at is null',
    replace: 'phone is not null and deleted_at is null',
    tests: [
      'tests/operations/{booking-mails,background-jobs}.test.ts',
      'tests/sql/*.test.ts',
      'tests/api/auth-sign-in-methods.test.ts',
    ],
  },
  {
    title: 'The file of a range of days ends before the last day',
    file: 'contracts/exports/staff-export.ts',
    find: 'dayField.transform((day) => dayBounds(day).end)',
    replace: 'dayField.transform((day) => dayBounds(day).start)',
    tests: ['tests/api/exports.test.ts', 'tests/functions/*.test.ts', 'web/staff/numbers/*.test.{ts,tsx}'],
  },
];
