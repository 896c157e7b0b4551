import type { Fault } from './fault.ts';

const under = (...folders: readonly string[]): string[] => [
  'tests/pages/*.test.ts',
  ...folders.map((folder) => `web/${folder}/*.test.{ts,tsx}`),
];

export const WEB: readonly Fault[] = [
  {
    title: 'The list of own bookings still shows a booking that the customer has cancelled',
    file: 'web/features/account/cancel-question.tsx',
    find: 'invalidates: [queryKeys.ownBookings.all, queryKeys.ownBooking.all]',
    replace: 'invalidates: [queryKeys.ownBooking.all]',
    tests: under('features/account', 'features/own-booking', 'data'),
  },
  {
    title: 'Hours that staff close stay free in the grid until it is read again',
    file: 'web/staff/closures/queries.ts',
    find: '[queryKeys.closures.all, queryKeys.availability.all, queryKeys.staffCalendar.all]',
    replace: '[queryKeys.closures.all, queryKeys.staffCalendar.all]',
    tests: under('staff/closures', 'staff/calendar', 'data'),
  },
  {
    title: 'The button that removes a saved card can be pressed twice',
    file: 'web/ui/form/confirm.tsx',
    find: '<Button tone={tone} busy={isPending} disabled={disabled} onClick={() => mutate()}>',
    replace: '<Button tone={tone} disabled={disabled} onClick={() => mutate()}>',
    tests: under('features/account', 'ui/form'),
  },
  {
    title: 'A customer whose block was ended is still listed as blocked',
    file: 'web/staff/customers/block-form.tsx',
    find: 'const UNBLOCK_INVALIDATES = [queryKeys.customers.all, queryKeys.customerBookings.all, queryKeys.alerts.all];',
    replace: 'const UNBLOCK_INVALIDATES = [queryKeys.customerBookings.all, queryKeys.alerts.all];',
    tests: under('staff/customers', 'data'),
  },
  {
    title: 'A refund that is pressed again after a lost answer is another request',
    file: 'web/staff/booking-panel/refund-form.tsx',
    find: 'refundBooking({ bookingId: booking.id, requestId, ...values })',
    replace: 'refundBooking({ bookingId: booking.id, requestId: crypto.randomUUID(), ...values })',
    tests: under('staff/booking-panel', 'staff/bookings'),
  },
  {
    title: 'The old price of a change can be pressed while the price is read again',
    file: 'web/features/own-booking/change-step.tsx',
    find: 'disabled={quote.isFetching}',
    replace: 'disabled={false}',
    tests: under('features/own-booking'),
  },
  {
    title: 'The form of staff shows the cancellation period of today instead of the one at purchase',
    file: 'web/staff/booking-panel/cancel-form.tsx',
    find: 'booking.freeCancelHours ?? freeCancelHours',
    replace: 'freeCancelHours',
    tests: under('staff/booking-panel', 'staff/bookings'),
  },
  {
    title: 'Hours that the customer gives back from the wait list stay taken in the grid',
    file: 'web/features/waitlist/own-entries.tsx',
    find: 'invalidates: [queryKeys.waitlist.all, queryKeys.availability.all]',
    replace: 'invalidates: [queryKeys.waitlist.all]',
    tests: under('features/waitlist', 'features/account', 'data'),
  },
];
