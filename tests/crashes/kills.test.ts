import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import type { Database } from '#database/types.ts';
import { addDays, studioDate } from '#rules/studio-time.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { migratedFolder } from '#tests/support/image.ts';
import { type ServerProcess, startServer } from '#tests/support/server-process.ts';
import { checkout, freePorts, mailsTo, span, STUDIO_A, STUDIO_B, until } from '#tests/support/test-server.ts';
import { type Sandbox, startSandbox } from '#sandbox/main.ts';

const KILLS = process.env['TEST_LONG'] ? 100 : 6;
/**
 * Maximum time until everything that a killed server began has ended. Most of it takes seconds. What only reconciliation finds takes five
 * minutes, when the sandbox gave up its webhooks while the server was starting. A charge without an answer is looked up when its hold ends,
 * after ten minutes.
 */
const WAIT = { timeout: 12 * 60_000, interval: 200 } as const;

/** An extended session, whose difference in price is paid in this payment session. */
type Extension = { bookingId: string; session: string };
type Payment = {
  id: string;
  payment_status: string;
  client_reference_id: string;
  payment_intent: string;
  amount_total: number;
};
/** What the killed servers had answered, by kind. */
type Answered = Record<'refunded' | 'links' | 'moved' | 'orders' | 'cancelled', string[]> & { extended: Extension[] };
type Outside = { readonly sandbox: (path: string, body?: unknown) => Promise<unknown> };

const STUDIO_C = '5a000000-0000-4000-8000-00000000000c';

/** Kills the server at random moments between hold, payment, confirmation, mail and access code, while the sandbox keeps running. */
describe('a server that is killed', () => {
  let sandbox: Sandbox;
  let dataDir: string;
  let env: Record<string, string>;
  let program: ServerProcess | null = null;
  const outside = {
    sandbox: async (path: string, body?: unknown): Promise<unknown> => {
      const response = await fetch(
        `${sandbox.url}${path}`,
        body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
      );
      return response.json();
    },
  };

  beforeAll(async () => {
    const first = await freePorts();
    dataDir = await mkdtemp(join(tmpdir(), 'kills-'));
    await migratedFolder(join(dataDir, 'database'));
    sandbox = await startSandbox({ port: first, webhookTarget: `http://localhost:${first + 8}` });
    env = { PORT: String(first + 8), SANDBOX_PORT: String(first), DATA_DIR: dataDir, RATE_LIMIT_FACTOR: '10000' };
  }, 30_000);
  afterAll(async () => {
    await program?.kill('SIGTERM');
    await sandbox.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it(
    `loses and doubles nothing through ${KILLS} kills`,
    { timeout: KILLS * 60_000 + WAIT.timeout + 120_000 },
    async () => {
      program = await startServer(env);
      const client = createClient<Database>(program.runtime.apiUrl, program.runtime.anonKey, {
        auth: { persistSession: false, autoRefreshToken: false },
      });
      const signedIn = await client.auth.signInWithPassword({
        email: 'customer@example.com',
        password: 'demo-customer-1',
      });
      if (signedIn.data.session === null) throw signedIn.error ?? new Error('no session');
      const token = signedIn.data.session.access_token;
      const held: string[] = [];
      const answered: Answered = { refunded: [], links: [], moved: [], orders: [], cancelled: [], extended: [] };
      const { refunded, links, moved, extended } = answered;
      const soon = span(new Date(), 1);

      // One undisturbed run measures how long the journey takes on this machine. The kills are spread over that time.
      const began = performance.now();
      await bookAndPay(program, token, soon, outside, answered);
      const wayMs = performance.now() - began;
      // A second undisturbed run ensures that each step happens at least once: kills leave holds, and a caller with many holds is refused
      // the next one.
      const later = span(new Date(), 26);
      await bookAndPay(program, token, later, outside, answered);

      for (let round = 0; round < KILLS; round += 1) {
        const running = program;
        const time = span(new Date(), 30 + round * 2);
        const work = bookAndPay(running, token, time, outside, answered).then(
          (bookingId) => held.push(bookingId),
          () => undefined, // The server was killed during the call, or holds left by earlier kills did not allow another.
        );
        await new Promise((resolve) => setTimeout(resolve, Math.random() * wayMs * 1.2));
        await running.kill('SIGKILL');
        await work;
        program = await startServer(env);
      }

      const service = createClient<Database>(program.runtime.apiUrl, program.runtime.serviceRoleKey, {
        auth: { persistSession: false },
      });
      // Everything that was started comes to an end: paid sessions become bookings, and the rest stay holds or are released.
      const payments = await outside.sandbox('/api/payments');
      const all = Array.isArray(payments)
        ? payments.filter((payment: Payment) => payment.payment_status === 'paid')
        : [];
      const isDifference = (payment: Payment): boolean => extended.some(({ session }) => session === payment.id);
      const isOrder = (payment: Payment): boolean => answered.orders.includes(payment.client_reference_id);
      const paid = all.filter((payment: Payment) => !isDifference(payment) && !isOrder(payment));
      const paidFor = paid.map((payment: Payment) => payment.client_reference_id);
      await vi.waitFor(async () => {
        const { data } = await service.from('bookings').select('id,status').in('id', paidFor);
        const statuses = new Map(data?.map((row) => [row.id, row.status]));
        expect(Object.fromEntries(statuses)).toEqual(Object.fromEntries(paidFor.map((id) => [id, 'confirmed'])));
      }, WAIT);
      const { data: everything } = await service.from('bookings').select('id,status,final_cost,start_time');
      const inOrders = await requireOrdersBalance(program, token, outside, answered);
      const rows = everything?.filter(({ id }) => id !== null && !inOrders.bookings.has(id));
      for (const row of rows ?? []) {
        const own = paid.filter((payment: Payment) => payment.client_reference_id === row.id);
        expect(own.length, `payments of ${row.id}`).toBe(row.status === 'confirmed' ? 1 : 0);
      }
      expect(rows?.length ?? 0).toBeGreaterThanOrEqual(held.length);

      // Each refund that was confirmed to staff arrives, and none is made twice.
      const countRefunds = async (bookingId: string): Promise<number> => {
        const intent = all.find((payment: Payment) => payment.client_reference_id === bookingId)?.payment_intent;
        const refunds = await outside.sandbox('/api/refunds');
        return Array.isArray(refunds)
          ? refunds.filter((refund: Payment) => refund.payment_intent === intent).length
          : 0;
      };
      for (const bookingId of refunded)
        await vi.waitFor(
          async () => expect(await countRefunds(bookingId), `refunds of ${bookingId}`).toBeGreaterThan(0),
          WAIT,
        );
      for (const payment of paid) expect(await countRefunds(payment.client_reference_id)).toBeLessThan(2);
      expect(refunded.length).toBeGreaterThan(0);

      // Each link that staff sent has one session and is mailed once, even if the server was killed before it called the provider.
      await vi.waitFor(async () => {
        const { data } = await service
          .from('bookings')
          .select('id')
          .not('guest_email', 'is', null)
          .eq('status', 'pending');
        const mails = await mailsTo(outside, 'guest@example.com', 'Please pay');
        expect(mails.filter((mail) => mail.duplicateOf === null)).toHaveLength(data?.length ?? 0);
      }, WAIT);
      const sessions = await outside.sandbox('/api/payments');
      const opened = (Array.isArray(sessions) ? sessions : []).map((session: Payment) => session.client_reference_id);
      for (const bookingId of links) expect(opened.filter((id) => id === bookingId)).toHaveLength(1);
      expect(links.length).toBeGreaterThan(0);

      // Each moved booking is in its new studio, and only there.
      const { data: places } = await service.from('bookings').select('studio_id').in('id', moved);
      expect(places).toEqual(moved.map(() => ({ studio_id: STUDIO_C })));
      expect(moved.length).toBeGreaterThan(0);

      // Each paid difference extended its booking exactly once, and none of it was refunded.
      const differences = all.filter(isDifference);
      const longer = extended.filter(({ session }) =>
        differences.some((difference: Payment) => difference.id === session),
      );
      await vi.waitFor(async () => {
        const { data } = await service
          .from('bookings')
          .select('start_time,end_time')
          .in(
            'id',
            longer.map(({ bookingId }) => bookingId),
          );
        const hours = data?.map(
          (row) => (Date.parse(row.end_time ?? '') - Date.parse(row.start_time ?? '')) / 3_600_000,
        );
        expect(hours).toEqual(longer.map(() => 2));
      }, WAIT);
      const holds = differences.map((difference: Payment) => difference.client_reference_id);
      const { data: ended } = await service.from('bookings').select('status,cancel_reason').in('id', holds);
      expect(ended).toEqual(holds.map(() => ({ status: 'cancelled', cancel_reason: 'replaced' })));
      for (const difference of differences) expect(await countRefunds(difference.client_reference_id)).toBe(0);
      expect(longer.length).toBeGreaterThan(0);

      // There is one confirmation mail per booking, and one per order for the bookings left of it. A repeated mail has the same Message-ID
      // and is counted once.
      await vi.waitFor(async () => {
        const mails = await mailsTo(outside, 'customer@example.com', 'confirmed');
        const first = mails.filter(
          (mail) => mail.duplicateOf === null && /^(Booking|\d bookings) confirmed/.test(mail.subject),
        );
        expect(first).toHaveLength(paid.length + inOrders.paid);
      }, WAIT);

      // A code must open the lock only inside its window.
      const first = rows?.find(
        (row) => Date.parse(row.start_time ?? '') === Date.parse(soon.startTime) && row.status === 'confirmed',
      );
      if (first) {
        const pin = await until(async () => {
          const answer = await fetch(`${program?.runtime.apiUrl}/functions/v1/generate-access-code`, {
            method: 'POST',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            body: JSON.stringify({ bookingId: first.id }),
          });
          const body: unknown = await answer.json();
          return body !== null && typeof body === 'object' && 'pinCode' in body ? body.pinCode : null;
        }, 30_000);
        const at = async (time: number): Promise<unknown> => {
          await outside.sandbox('/api/clock', { now: new Date(time).toISOString() });
          return outside.sandbox('/api/doors/SPA1X0001/keypad', { pin });
        };
        expect(await at(Date.parse(soon.startTime) - 6 * 60_000)).toMatchObject({ opened: false });
        expect(await at(Date.parse(soon.endTime) + 60_000)).toMatchObject({ opened: false });
      }
      expect(paid.length, 'the test saw payments').toBeGreaterThan(0);
    },
  );

  it(
    'a second server on the same folder is refused while it runs, and it starts again after a kill',
    { timeout: 240_000 },
    async () => {
      const other = startServer({ ...env, PORT: String(Number(env['PORT']) - 1) });
      await expect(other).rejects.toMatchObject({ exitCode: 75 });
      await program?.kill('SIGKILL');
      program = await startServer(env);
      expect(await program.kill('SIGTERM')).toBe(0);
      program = null;
    },
  );
});

type Call = (name: string, body: unknown, by?: string) => Promise<Record<string, unknown>>;

/** Returns a caller of the server's functions, by default as the customer. */
const createCaller =
  (program: ServerProcess, token: string): Call =>
  async (name, body, by = token) => {
    const response = await fetch(`${program.runtime.apiUrl}/functions/v1/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return Object.fromEntries(Object.entries((await response.json()) ?? {}));
  };

/** Requests a payment page, repeatedly while the provider has not answered: on a busy machine that takes longer than the server waits. */
async function openPayment(call: Call, body: unknown): Promise<Record<string, unknown>> {
  for (let tries = 1; ; tries += 1) {
    const held = await call('create-payment', body);
    if (held['pending'] !== true || tries === 30) return held;
    await new Promise((done) => setTimeout(done, 500));
  }
}

/**
 * Staff send a guest a link to pay for other hours. Then a customer holds, pays, returns from the pay page, gets a partial refund from
 * staff, is moved to another studio, extends the session, pays for the hour, requests the access code, and books a series. Adds the answers
 * to the lists.
 */
async function bookAndPay(
  program: ServerProcess,
  token: string,
  time: { startTime: string; endTime: string },
  outside: Outside,
  answered: Answered,
): Promise<string> {
  const call = createCaller(program, token);
  const { refunded, links, moved, extended } = answered;
  const link = {
    studioId: STUDIO_B,
    ...time,
    customerEmail: 'guest@example.com',
    customerName: 'Sam Guest',
    payment: 'link',
  };
  const sent = await call('staff-create-booking', link, program.runtime.serviceRoleKey);
  if (typeof sent['bookingId'] === 'string') links.push(sent['bookingId']);
  const held = await openPayment(call, checkout(time));
  const payments = await outside.sandbox('/api/payments');
  const session: Payment | undefined = Array.isArray(payments)
    ? payments.find((payment: Payment) => payment.client_reference_id === held['bookingId'])
    : undefined;
  if (!session) throw new Error(`create-payment opened no payment: ${JSON.stringify(held)}`);
  await outside.sandbox(`/api/payments/${session.id}`, { outcome: 'paid' });
  await call('verify-payment', { sessionId: session.id });
  const { bookingId } = held;
  const part = { bookingId, cents: 1_000, reason: 'Sorry' };
  const { refundId } = await call('staff-refund', part, program.runtime.serviceRoleKey);
  if (refundId !== undefined) refunded.push(String(bookingId));
  // The first booking keeps its door.
  const to = {
    bookingId,
    ...time,
    studioId: Date.parse(time.startTime) > Date.now() + 2 * 3_600_000 ? STUDIO_C : STUDIO_A,
  };
  const move = await call('staff-move-booking', to, program.runtime.serviceRoleKey);
  if (move['differenceCents'] !== undefined && to.studioId === STUDIO_C) {
    moved.push(String(bookingId));
    const { url } = await call('extend-booking', { bookingId, hours: 1, from: time.endTime });
    const difference = /cs_[A-Za-z0-9_]+/.exec(String(url))?.[0];
    if (difference !== undefined) {
      extended.push({ bookingId: String(bookingId), session: difference });
      await outside.sandbox(`/api/payments/${difference}`, { outcome: 'paid' });
      await call('verify-payment', { sessionId: difference });
    }
  }
  await call('generate-access-code', { bookingId });
  await bookSeries(call, time, outside, answered);
  return String(bookingId);
}

const DAY = 86_400_000;

/**
 * Books hours on a later day and in the two weeks after it as one order, pays it in two tabs at once, extends the first booking with a
 * saved card in two tabs, and cancels the order.
 */
async function bookSeries(
  call: Call,
  time: { startTime: string },
  outside: Outside,
  { orders, cancelled }: Answered,
): Promise<void> {
  const start = new Date(Date.parse(time.startTime) + 40 * DAY);
  const end = new Date(start.getTime() + 3_600_000);
  const date = studioDate(start);
  const hours = { startTime: start.toISOString(), endTime: end.toISOString() };
  const { bookingId } = await call('create-payment', checkout(hours, { series: { dates: [date, addDays(date, 14)] } }));
  if (typeof bookingId !== 'string') return;
  orders.push(bookingId);
  const [session, card] = [await readSessionId(outside, bookingId), await savedCard(outside)];
  await outside.sandbox(`/api/payments/${session}`, { outcome: 'paid' });
  await Promise.all([1, 2].map(() => call('verify-payment', { sessionId: session })));
  const longer = { bookingId, hours: 1, from: hours.endTime, card };
  await Promise.all([1, 2].map(() => call('extend-booking', longer)));
  if ((await call('cancel-booking', { bookingId }))['cancelled'] === true) cancelled.push(bookingId);
}

async function readSessionId(outside: Outside, bookingId: string): Promise<string> {
  const payments = await outside.sandbox('/api/payments');
  const found = Array.isArray(payments)
    ? payments.find((payment: Payment) => payment.client_reference_id === bookingId)
    : undefined;
  return found?.id ?? '';
}

/** Returns a saved card of the only customer who opens pay pages. */
async function savedCard(outside: Outside): Promise<string> {
  type Customer = { id: string; cards: { id: string }[] };
  const customers = await outside.sandbox('/api/customers');
  const [customer]: Customer[] = Array.isArray(customers) ? customers : [];
  const existing = customer?.cards[0]?.id;
  if (customer === undefined || existing !== undefined) return existing ?? '';
  const created = await outside.sandbox('/api/cards', { customer: customer.id });
  return created !== null && typeof created === 'object' && 'id' in created ? String(created.id) : '';
}

/**
 * Requires of all orders that the money the provider took either belongs to bookings that are kept or was refunded: a paid order confirms
 * both of its bookings, a saved card pays at most one more hour, and a cancelled booking refunds its whole share. Returns the ids of their
 * bookings, and how many were paid.
 */
async function requireOrdersBalance(
  program: ServerProcess,
  token: string,
  outside: Outside,
  { orders, cancelled }: Answered,
): Promise<{ readonly bookings: ReadonlySet<string>; readonly paid: number }> {
  type Own = { id: string; order_id: string | null; status: string; final_cost: number };
  const list = async <Row>(path: string): Promise<Row[]> => (await outside.sandbox(path)) as Row[];
  const read = async (): Promise<Own[]> => {
    const response = await fetch(`${program.runtime.apiUrl}/rest/v1/rpc/own_bookings`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        apikey: program.runtime.anonKey,
        'content-type': 'application/json',
      },
      body: '{}',
    });
    const all = (await response.json()) as Own[];
    return all.filter((booking) => booking.order_id !== null && orders.includes(booking.order_id));
  };
  const payments = await list<Payment>('/api/payments');
  const paid = payments.filter(
    (payment) => orders.includes(payment.client_reference_id) && payment.payment_status === 'paid',
  );
  const cents = (dollars: number): number => Math.round(dollars * 100);
  const sum = (all: readonly number[]): number => all.reduce((total, amount) => total + amount, 0);
  await vi.waitFor(async () => {
    const own = await read();
    const pages = new Set(payments.map((payment) => payment.payment_intent));
    const charges = (await list<{ payment_intent: string; amount: number; paid: boolean }>('/api/charges')).filter(
      (charge) => charge.paid && !pages.has(charge.payment_intent),
    );
    const intents = new Set([...paid, ...charges].map((payment) => payment.payment_intent));
    const refunds = (await list<{ payment_intent: string; amount: number }>('/api/refunds')).filter((refund) =>
      intents.has(refund.payment_intent),
    );
    const ofPaid = own.filter((booking) => paid.some((order) => order.client_reference_id === booking.order_id));
    const taken = sum([...paid.map((payment) => payment.amount_total), ...charges.map((charge) => charge.amount)]);
    const gone = ofPaid.filter((booking) => booking.status === 'cancelled');
    const notCancelled = cancelled.filter((id) => !gone.some((booking) => booking.id === id));
    const expected = {
      confirmed: paid.length * 2 - gone.length,
      notCancelled: [],
      taken: sum(ofPaid.map((booking) => cents(booking.final_cost))),
      refunded: sum(gone.map((booking) => cents(booking.final_cost))),
    };
    const found = {
      confirmed: own.filter((booking) => booking.status === 'confirmed').length,
      notCancelled,
      taken,
      refunded: sum(refunds.map((refund) => refund.amount)),
    };
    expect(found).toEqual(expected);
    expect(charges.length).toBeLessThanOrEqual(paid.length);
  }, WAIT);
  expect(paid.length).toBeGreaterThan(1);
  expect(cancelled.length).toBeGreaterThan(0);
  return { bookings: new Set((await read()).map(({ id }) => id)), paid: paid.length };
}
