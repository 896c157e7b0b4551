import { LISTED_COLUMNS, type ListedBooking, parseListed } from '#web/data/bookings/listed-bookings.ts';
import { type CallAnswer, type CallBody, callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** A customer in the search of staff. Money is in dollars. */
export type Customer = {
  readonly user_id: string;
  readonly full_name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly created_at: string;
  readonly verified_until: string | null;
  readonly bookings: number;
  readonly paid: number;
  readonly refunded: number;
  /** Null if the customer is not blocked. */
  readonly block_reason: string | null;
  readonly blocked_until: string | null;
};
/** Returns the name that staff see for a customer. */
export const getName = (customer: Customer): string => customer.full_name ?? customer.email ?? 'No name';

/** The highest number of customers that are read, and of bookings of each. */
export const CUSTOMERS_SHOWN = 50;
export const BOOKINGS_SHOWN = 20;

/** Reads the customers that match every word, newest first. */
export async function searchCustomers(words: string): Promise<Customer[]> {
  const { data, error } = await rest.rpc('search_customers', { words, most: CUSTOMERS_SHOWN });
  if (error) throw error;
  return rowsWith(data, 'user_id', 'created_at', 'bookings', 'paid', 'refunded');
}

/** Reads the last bookings of a customer, latest first. */
export async function readCustomerBookings(userId: string): Promise<ListedBooking[]> {
  const { data, error } = await rest
    .from('bookings')
    .select(LISTED_COLUMNS)
    .eq('user_id', userId)
    .order('start_time', { ascending: false })
    .limit(BOOKINGS_SHOWN);
  if (error) throw error;
  return parseListed(data);
}

/** Birth date ('YYYY-MM-DD') and address of a customer. Only staff with the permission for IDs can read them. */
export type CustomerIdentity = { readonly date_of_birth: string | null; readonly address: string | null };

/** Reads the identity of a customer; null if the account was deleted. */
export async function readCustomerIdentity(userId: string): Promise<CustomerIdentity | null> {
  const { data, error } = await rest
    .from('customer_identities')
    .select('date_of_birth,address')
    .eq('user_id', userId)
    .maybeSingle();
  if (error) throw error;
  return data;
}

/** What happens to the paid bookings of a blocked customer. `later`: staff decide about each booking on Today. */
export type BlockedBookings = NonNullable<CallBody<'staff-block-customer'>['bookings']>;

/** Blocks a customer. `until`: an instant, or null for a permanent block. `left`: the paid bookings that staff still have to decide about. */
export function blockCustomer(block: {
  userId: string;
  reason: string;
  until: string | null;
  bookings: BlockedBookings;
}): Promise<CallAnswer<'staff-block-customer'>> {
  return callFunction('staff-block-customer', block);
}
export function withdrawId(userId: string, reason: string): Promise<unknown> {
  return callFunction('staff-withdraw-id', { userId, reason });
}
export function unblockCustomer(userId: string): Promise<unknown> {
  return callFunction('staff-unblock-customer', { userId });
}

/** A note of staff about a customer. */
export type CustomerNote = {
  readonly id: string;
  readonly note: string;
  /** Null if the account was deleted. */
  readonly made_by: string | null;
  readonly created_at: string;
};
/** Reads the notes about a customer, newest first. */
export async function readCustomerNotes(customer: string): Promise<CustomerNote[]> {
  const { data, error } = await rest.rpc('customer_notes', { customer });
  if (error) throw error;
  return rowsWith(data, 'id', 'note', 'created_at');
}
/** Adds a note. Idempotent for the same `id`. */
export async function addCustomerNote(id: string, customer: string, note: string): Promise<void> {
  const { data, error } = await rest.rpc('add_customer_note', { note_id: id, customer, note });
  if (error) throw error;
  if (data !== true) throw new Error('This customer no longer exists.');
}
