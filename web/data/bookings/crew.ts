import { rest } from '../rest.ts';
import { rowsWith } from '../rows.ts';

/** A guest whom the customer of a booking has invited. */
export type CrewMember = {
  readonly id: string;
  readonly bookingId: string;
  readonly state: 'invited' | 'joined' | 'revoked';
  /** The first name that the guest entered; null before they joined. */
  readonly name: string | null;
  readonly invitedAt: Date;
  /** Whether the guest has seen a code that others use too. */
  readonly sawShared: boolean;
};

/**
 * Reads the guests of these bookings in the order of their invitations. Customers can read the guests of their own bookings, staff those of
 * any booking.
 */
export async function readCrew(bookings: readonly string[]): Promise<CrewMember[]> {
  if (bookings.length === 0) return [];
  const { data, error } = await rest.rpc('booking_crew', { bookings: [...bookings] });
  if (error) throw error;
  return rowsWith(data, 'id', 'booking_id', 'state', 'invited_at').map((row) => ({
    id: row.id,
    bookingId: row.booking_id,
    state: row.state === 'joined' ? 'joined' : row.state === 'revoked' ? 'revoked' : 'invited',
    name: row.name,
    invitedAt: new Date(row.invited_at),
    sawShared: row.saw_shared_code === true,
  }));
}

/** Returns the names of the guests who have joined. */
export const getNames = (crew: readonly CrewMember[]): string[] =>
  crew.flatMap(({ state, name }) => (state === 'joined' && name !== null ? [name] : []));
