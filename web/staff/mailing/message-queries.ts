import type { Letter } from '#rules/letter.ts';
import { callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** A mail to a customer. */
export type CustomerMessage = {
  readonly id: string;
  /** The kind of its job. */
  readonly kind: string;
  /** null: the subject of the kind. */
  readonly subject: string | null;
  /** What staff wrote. */
  readonly body: string | null;
  readonly reference: string | null;
  readonly made_by: string | null;
  readonly at: string;
  readonly sent_at: string | null;
  /** Why it did not arrive yet, or never will. */
  readonly problem: string | null;
  readonly closed: boolean;
};

/** How many mails are read. */
export const MESSAGES_SHOWN = 50;

/** Reads the mails to a customer, newest first. */
export async function readCustomerMessages(customer: string): Promise<CustomerMessage[]> {
  const { data, error } = await rest.rpc('customer_messages', { customer, most: MESSAGES_SHOWN });
  if (error) throw error;
  return rowsWith(data, 'id', 'kind', 'at', 'closed');
}
/** Mails a customer; repeated with the same id it sends nothing again. */
export function writeCustomer(message: Letter & { messageId: string; userId: string }): Promise<unknown> {
  return callFunction('staff-write-customer', message);
}
