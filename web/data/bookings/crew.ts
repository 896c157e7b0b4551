import { rest } from '../rest.ts';
import { rowsWith } from '../rows.ts';

/** Somebody whom the customer of a booking has invited along. */
export type CrewMember = {
  readonly id: string;
  readonly bookingId: string;
  readonly state: 'invited' | 'joined' | 'revoked';
  /** The first name the guest gave; null before they joined. */
  readonly name: string | null;
  readonly invitedAt: Date;
  /** Whether the guest has seen digits that others use too. */
  readonly sawShared: boolean;
};

/** Reads who comes to these bookings, in the order of their invitations: to own ones, for staff to any. */
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

/** The names of those who come. */
export const namesOf = (crew: readonly CrewMember[]): string[] =>
  crew.flatMap(({ state, name }) => (state === 'joined' && name !== null ? [name] : []));
