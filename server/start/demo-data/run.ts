import { randomUUID } from 'node:crypto';
import { createStripePayments } from '#server/providers/stripe/payments.ts';
import { type DatabaseConfig, openDatabase } from '../open-database.ts';
import { seed } from '../seed.ts';
import { type DemoProvider, writeDemo } from './write.ts';
import type { Queryable } from '#server/db/database.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
type Settings = DatabaseConfig &
  Parameters<typeof seed>[0]['config'] & {
    readonly stripe: Parameters<typeof createStripePayments>[0];
    readonly siteUrl: string;
  };
const SESSION_MS = 31 * 60_000;

/**
 * Runs `npm run demo`: writes three months of bookings into the configured database. It works only with the sandbox, which must be running:
 * bookings that have not ended are paid there, so that they can be refunded. Continues where an interrupted run stopped. Returns the exit
 * code.
 */
export async function runDemo(config: Settings, print: (line: string) => void): Promise<number> {
  const { sandboxUrl } = config;
  if (sandboxUrl === null) {
    print('The demo needs the sandbox: it must never reach the database of a real business. Set SANDBOX=on.');
    return 1;
  }
  const db = await openDatabase(config, { report: print, warn: print });
  const clock = (): Date => new Date();
  try {
    await seed({ db, root: ROOT, config, clock, report: print });
    const written = await writeDemo(db, clock(), {
      pay: payInSandbox(config, sandboxUrl),
      addPast: () => addPastPayments(db, sandboxUrl),
    });
    print(
      written === null
        ? 'The demo is already there.'
        : `Wrote ${written.bookings} bookings of ${written.customers} customers. Start with: npm start`,
    );
    return 0;
  } finally {
    await db.close();
  }
}

/** Pays with the session of an interrupted run if there is one. */
function payInSandbox({ stripe, siteUrl }: Settings, sandboxUrl: string): DemoProvider['pay'] {
  const payments = createStripePayments(stripe);
  return async ({ id, cents, email }) => {
    const existing = await payments.findSession(id, new Date(0));
    const create = () =>
      payments.createSession({
        key: `demo:${id}:${randomUUID()}`,
        bookingId: id,
        amountCents: cents,
        items: [{ description: 'Demo booking', amountCents: cents }],
        customerId: null,
        customerEmail: email,
        successUrl: siteUrl,
        cancelUrl: siteUrl,
        expiresAt: new Date(Date.now() + SESSION_MS),
        allowDelayed: false,
        metadata: { booking_id: id },
      });
    const session = existing === null || existing.status === 'expired' ? await create() : existing;
    // Has no effect on a session that is already paid.
    await fetch(`${sandboxUrl}/api/payments/${session.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ outcome: 'paid' }),
    });
    const { paymentIntentId } = await payments.getSession(session.id);
    if (paymentIntentId === null) throw new Error(`the sandbox did not take the payment ${session.id}`);
    return { session: session.id, intent: paymentIntentId };
  };
}

/** Reports completed payments and refunds to the sandbox, so that its ledger agrees with ours. */
async function addPastPayments(db: Queryable, sandboxUrl: string): Promise<void> {
  const { rows: payments } = await db.query(
    `select p.payment_intent_id as id, p.paid_cents as amount, extract(epoch from p.paid_at)::int as created,
       (select jsonb_build_object('id', r.id, 'created', extract(epoch from r.created_at)::int) from private.refund r where r.payment_id = p.id) as refund
     from private.payment p where p.payment_intent_id like 'pi\\_demo\\_%'`,
  );
  const answer = await fetch(`${sandboxUrl}/api/past-payments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payments }),
  });
  if (!answer.ok) throw new Error(`the sandbox did not take the payments of the past: ${await answer.text()}`);
}
