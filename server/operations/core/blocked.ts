import { DatabaseError } from '#server/db/database.ts';
import { Refusal } from './refusal.ts';

/** Returns whether a statement failed because it would have held hours for a blocked customer, or taken their money. */
export const isBlocked = (error: unknown): boolean =>
  error instanceof DatabaseError && error.constraint === 'booking_not_blocked';

/** Builds the refusal for staff who book for a blocked customer. */
export const blockedForStaff = (): Refusal =>
  new Refusal('blocked', 'This customer is blocked, so nothing was booked. Unblock them first.');
