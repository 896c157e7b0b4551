import type { Fault } from './fault.ts';

const PERMISSIONS = [
  'tests/functions/callers.test.ts',
  'server/operations/staff/*.test.ts',
  'tests/sql/{functions,callers}.test.ts',
  'tests/api/{permissions,staff-team,exports}.test.ts',
];

export const STAFF: readonly Fault[] = [
  {
    title: 'Staff without the permission money read its files',
    file: 'contracts/exports/staff-export.ts',
    find: `permission: 'money'`,
    replace: `permission: 'bookings'`,
    tests: PERMISSIONS,
  },
  {
    title: 'An invitation that has expired can be accepted',
    file: 'database/code/staff/invitations.sql',
    find: `when v_found.expires_at <= p_now then 'expired'`,
    replace: '',
    tests: PERMISSIONS,
  },
  {
    title: 'Permissions are given to an account that has not confirmed its address',
    file: 'database/code/staff/permissions.sql',
    find: `if not v_confirmed and pg_catalog.cardinality(p_permissions) > 0 then return 'unconfirmed'; end if;`,
    replace: '',
    tests: PERMISSIONS,
  },
  {
    title: 'Owners need no second factor where only other permissions are named in the rule',
    file: 'database/code/staff/second-factor.sql',
    find: `on f.permission = p.permission or p.permission = 'owner'
      where p.user_id = p_user and (`,
    replace: `on f.permission = p.permission
      where p.user_id = p_user and (`,
    tests: PERMISSIONS,
  },
  {
    title: 'The mail about an expired link goes to staff who were removed since',
    file: 'server/operations/mails/expired-links.ts',
    find: `and exists (select from public.staff_permissions p where p.user_id = u.id and p.permission in ('bookings', 'owner'))`,
    replace: '',
    tests: ['tests/operations/{staff-bookings,booking-mails,paid-moves,background-jobs}.test.ts'],
  },
  {
    title: 'Staff without the permission money refund a part against the terms when they cancel',
    file: 'server/operations/bookings/cancel-for-staff.ts',
    find: `requireConcession(request.money, { kind: 'refund', cents: decision.cents, termsCents });`,
    replace: `if (decision.refund !== 'part') requireConcession(request.money, { kind: 'refund', cents: decision.cents, termsCents });`,
    tests: [
      'tests/operations/{staff-bookings,staff-refunds,staff-undo}.test.ts',
      'tests/api/{permissions,staff}.test.ts',
    ],
  },
];
