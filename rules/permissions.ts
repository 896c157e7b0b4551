/**
 * What an account of staff may be allowed to do. `bookings`: bookings, closed hours, access codes, lights. `identity`: ID checks and people.
 * `money`: refunds and exports. `settings`: discount codes and the developer pages. `owner`: everything, with the audit log and the
 * permissions of others.
 */
export const PERMISSIONS = ['bookings', 'identity', 'money', 'settings', 'owner'] as const;
export type Permission = (typeof PERMISSIONS)[number];
