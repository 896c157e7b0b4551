/**
 * What a staff account may be allowed to do. `bookings`: bookings, closed hours, access codes, lights. `identity`: ID checks and people.
 * `money`: refunds beyond the terms, waived prices, free bookings, discount codes of more than half, numbers and exports. `settings`:
 * discount codes, the mailing list and the developer pages. `owner`: everything, including the audit log and other people's permissions.
 */
export const PERMISSIONS = ['bookings', 'identity', 'money', 'settings', 'owner'] as const;
export type Permission = (typeof PERMISSIONS)[number];
/** The rights that decide which pages staff see: a permission, or `audit_log`, which the database grants (`staff_rights()`). */
export type StaffRight = Permission | 'audit_log';

/** Default number of days for which staff without a second factor keep their permissions after an owner begins to require one. */
export const GRACE_DAYS = 7;
/** The maximum number of days that an owner can choose. */
export const GRACE_DAYS_MAX = 30;

/** The name of each permission on screen, and what it opens. */
export const PERMISSION_WORDS: Readonly<Record<Permission, { readonly label: string; readonly opens: string }>> = {
  bookings: { label: 'Bookings', opens: 'Bookings, customers, closed hours, doors and lights' },
  identity: { label: 'ID checks', opens: 'Customers’ IDs, and decisions about them' },
  money: { label: 'Money', opens: 'Refunds, free bookings, codes that give money away, numbers and exports' },
  settings: { label: 'Settings', opens: 'Prices, discount codes and developer pages' },
  owner: { label: 'Owner', opens: 'Everything, including the audit log and staff' },
};
