import type { Letter } from '#rules/letter.ts';
import { callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** A mail to a customer. */
export type CustomerMessage = {
  readonly id: string;
  /** The kind of the mail's job. */
  readonly kind: string;
  /** Null if the mail has the default subject of its kind. */
  readonly subject: string | null;
  /** The text that staff wrote. */
  readonly body: string | null;
  readonly reference: string | null;
  readonly made_by: string | null;
  readonly at: string;
  readonly sent_at: string | null;
  /** Why the mail has not arrived yet or never will. */
  readonly problem: string | null;
  readonly closed: boolean;
};

/** The highest number of mails that are read. */
export const MESSAGES_SHOWN = 50;

/** Reads the mails to a customer, newest first. */
export async function readCustomerMessages(customer: string): Promise<CustomerMessage[]> {
  const { data, error } = await rest.rpc('customer_messages', { customer, most: MESSAGES_SHOWN });
  if (error) throw error;
  return rowsWith(data, 'id', 'kind', 'at', 'closed');
}
/** Mails a customer. Idempotent for the same `messageId`. */
export function writeCustomer(message: Letter & { messageId: string; userId: string }): Promise<unknown> {
  return callFunction('staff-write-customer', message);
}
