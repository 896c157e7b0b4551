import type { Fault } from './fault.ts';

const CHECKS = [
  'tests/operations/{identity-checks,missing-ids}.test.ts',
  'server/operations/identity/*.test.ts',
  'tests/functions/{identity-and-locks,responses}.test.ts',
  'tests/api/{id-review,identity-hostile}.test.ts',
];

export const IDENTITY: readonly Fault[] = [
  {
    title: 'A customer whom the reader found to be a minor is refused on the 18th birthday too',
    file: 'server/operations/identity/refuse-minor.ts',
    find: 'if (adult <= studioDate(clock())) return;',
    replace: 'if (adult < studioDate(clock())) return;',
    tests: CHECKS,
  },
  {
    title: 'The photo of an ID whose decision was not stored stays in the store',
    file: 'server/operations/identity/decide.ts',
    find: 'if (imageKey !== null) await services.store.remove(imageKey);',
    replace: '',
    tests: CHECKS,
  },
  {
    title: 'A hosted check that has been decided is decided again',
    file: 'server/operations/identity/store-decision.ts',
    find: `where id = $1 and status = 'open' for update`,
    replace: 'where id = $1 for update',
    tests: CHECKS,
  },
  {
    title: 'A booking that staff keep without an ID is cancelled when they decide at the last moment',
    file: 'server/operations/identity/missing-ids.ts',
    find: 'where m.booking_id = $1::uuid and m.kept_at is null and',
    replace: 'where m.booking_id = $1::uuid and',
    tests: [...CHECKS, 'tests/interleaving/interleaving.test.ts'],
  },
  {
    title: 'An ID that expires during a series is enough for all of it',
    file: 'server/operations/bookings/hold.ts',
    find: 'requireEligible({ ...request, endTime: last.endTime }, first, now)',
    replace: 'requireEligible(request, first, now)',
    tests: ['tests/operations/{orders,bookings,identity-checks}.test.ts', 'tests/api/journey.test.ts'],
  },
  {
    title: 'The second hosted check of a customer has the idempotency key of the first',
    file: 'server/operations/identity/hosted-check.ts',
    find: 'key: `identity:${userId}:${count?.count ?? 0}`,',
    replace: 'key: `identity:${userId}`,',
    tests: CHECKS,
  },
];
