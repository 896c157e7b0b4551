import { z } from 'zod';
import type { Queryable } from '#server/db/database.ts';
import type { SavedCard } from '#server/providers/ports.ts';
import { failpoint } from '../core/failpoint.ts';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

type Stored = { readonly id: string; readonly email: string | null };

/** Reads the provider customer of an account; null if it has none yet. */
export async function readCustomer(db: Queryable, userId: string): Promise<string | null> {
  return (await stored(db, userId))?.id ?? null;
}

const stored = (db: Queryable, userId: string): Promise<Stored | null> =>
  db.queryRow<Stored>('select customer_id as id, email from private.provider_customer where user_id = $1::uuid', [
    userId,
  ]);

/**
 * Returns the provider customer of an account. If there is none, it is created without an address, so that a customer whose creation was
 * never answered holds no personal data. The address is sent afterwards, and again whenever it has changed. Throws `ProviderError`.
 */
export async function ensureCustomer(services: Services, userId: string, email: string): Promise<string> {
  const { db, payments } = services;
  const customer = (await stored(db, userId)) ?? (await create(services, userId));
  if (customer.email !== email) {
    await payments.setCustomerEmail(customer.id, email);
    await db.query('update private.provider_customer set email = $2 where user_id = $1::uuid', [userId, email]);
  }
  return customer.id;
}

/**
 * Creates a new provider customer for an account whose customer was deleted at the provider. The idempotency key contains the id of the
 * deleted customer, because for a day the first key would return the deleted customer.
 */
export async function replaceCustomer({ db, payments }: Services, userId: string): Promise<void> {
  const lost = await readCustomer(db, userId);
  if (lost === null) return;
  const id = await payments.createCustomer({ key: `customer:${userId}:${lost}`, userId });
  await db.query(
    'update private.provider_customer set customer_id = $3, email = null where user_id = $1::uuid and customer_id = $2',
    [userId, lost, id],
  );
}

async function create({ db, payments }: Services, userId: string): Promise<Stored> {
  const id = await payments.createCustomer({ key: `customer:${userId}`, userId });
  failpoint('customer.after.create');
  await db.query(
    'insert into private.provider_customer (user_id, customer_id) values ($1::uuid, $2) on conflict do nothing',
    [userId, id],
  );
  return (await stored(db, userId)) ?? { id, email: null };
}

/** Job `payment.forget-customer`: deletes the provider customer and saved cards of a deleted account. */
async function forgetCustomer({ payments }: Services, job: Job<{ customerId: string }>): Promise<JobOutcome> {
  await payments.deleteCustomer(job.payload.customerId);
  return 'done';
}

/** Lists the saved cards of an account from the provider. Throws `ProviderError`. */
export async function listSavedCards({ db, payments }: Services, userId: string): Promise<readonly SavedCard[]> {
  const customer = await readCustomer(db, userId);
  return customer === null ? [] : payments.listCards(customer);
}

/** Removes a saved card of an account at the provider. Throws `Refusal('not_found')`, `ProviderError`. */
export async function removeSavedCard({ db, payments }: Services, userId: string, cardId: string): Promise<void> {
  const customer = await readCustomer(db, userId);
  if (customer === null || !(await payments.removeCard(customer, cardId)))
    throw new Refusal('not_found', 'This card is no longer saved.');
}

export const forgetCustomerJob = defineJob({
  kind: 'payment.forget-customer',
  title: 'Saved card deletion',
  worker: 'payments',
  payload: z.object({ customerId: z.string() }),
  handle: (services, job) => forgetCustomer(services, job),
});
