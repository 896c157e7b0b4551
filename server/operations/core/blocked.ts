import { DatabaseError } from '#server/db/database.ts';
import { Refusal } from './refusal.ts';

/** Whether a statement was refused because it would hold hours for a customer whom staff have blocked, or take their money. */
export const isBlocked = (error: unknown): boolean =>
  error instanceof DatabaseError && error.constraint === 'booking_not_blocked';

/** The answer to staff who book for a blocked customer. */
export const blockedForStaff = (): Refusal =>
  new Refusal('blocked', 'This customer is blocked, so nothing was booked. Unblock them first.');
