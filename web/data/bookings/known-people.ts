import { rest } from '../rest.ts';
import { rowsWith } from '../rows.ts';

/** A person who has an account, or who has booked without one. */
export type KnownPerson = {
  readonly name: string;
  readonly email: string;
  readonly phone: string | null;
  readonly hasAccount: boolean;
};

/** How many people of each kind are read. */
const SHOWN = 4;

/** Reads the people whose name, email address or phone number contains every word. People with an account come first; each address is listed once. */
export async function readKnownPeople(words: string): Promise<KnownPerson[]> {
  const [customers, guests] = await Promise.all([
    rest.rpc('search_customers', { words, most: SHOWN }),
    rest.rpc('search_guest_bookings', { words, most: SHOWN }),
  ]);
  if (customers.error) throw customers.error;
  if (guests.error) throw guests.error;
  const found = [
    ...rowsWith(customers.data, 'email').map(({ full_name, email, phone }) => ({
      name: full_name ?? email,
      email,
      phone,
      hasAccount: true,
    })),
    ...guests.data.flatMap(({ guest_name, guest_email: email, contact_phone: phone }) =>
      email === null ? [] : [{ name: guest_name ?? email, email, phone, hasAccount: false }],
    ),
  ];
  return [...Map.groupBy(found, ({ email }) => email).values()].flatMap(([first]) => first ?? []);
}
