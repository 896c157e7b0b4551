/**
 * What an account of staff may be allowed to do. `bookings`: bookings, closed hours, access codes, lights. `identity`: ID checks and people.
 * `money`: refunds beyond the terms, waived prices, free bookings, discount codes of more than half, numbers and exports. `settings`: discount codes, the mailing list and the developer pages. `owner`: everything, with the audit log and the
 * permissions of others.
 */
export const PERMISSIONS = ['bookings', 'identity', 'money', 'settings', 'owner'] as const;
export type Permission = (typeof PERMISSIONS)[number];
/** What decides which pages staff see: a permission, or `audit_log`, which the database grants (`staff_rights()`). */
export type StaffRight = Permission | 'audit_log';

/** How many days staff without a second factor can go on when an owner begins to require one, unless the owner says otherwise. */
export const GRACE_DAYS = 7;
/** The most days that an owner can give them. */
export const GRACE_DAYS_MAX = 30;

/** How each permission is named to people, and what it opens. */
export const PERMISSION_WORDS: Readonly<Record<Permission, { readonly label: string; readonly opens: string }>> = {
  bookings: { label: 'Bookings', opens: 'Bookings, customers, closed hours, doors and lights' },
  identity: { label: 'ID checks', opens: 'The IDs of customers, and the decision about them' },
  money: { label: 'Money', opens: 'Refunds, free bookings, codes that give money away, numbers and exports' },
  settings: { label: 'Settings', opens: 'Prices, discount codes and developer pages' },
  owner: { label: 'Owner', opens: 'Everything, with the audit log and the staff' },
};
