import { randomUUID } from 'node:crypto';
import { callAs, hold, pay, type Person, signUp, verifyId } from './contents.ts';
import type { Client } from './state-server.ts';

/** Customers of one server who book one hour after another. */
export type Load = {
  /** Ids of acknowledged bookings, with the status that was acknowledged last. */
  readonly bookings: ReadonlyMap<string, 'confirmed' | 'cancelled'>;
  /** The failures, as described in the server's answers. */
  readonly faults: readonly string[];
  /** Stops after the bookings in progress. */
  stop(): Promise<void>;
};

export type LoadOptions = {
  readonly studioId: string;
  /** Number of customers who book concurrently. */
  readonly customers: number;
};

const HOUR_MS = 3_600_000;
/** Bookings start this many hours ahead, so that a cancellation is free. */
const HOURS_AHEAD = 72;
/** One of this many bookings is cancelled and refunded. */
const CANCEL_EVERY = 3;

export function startLoad(client: Client, { studioId, customers }: LoadOptions): Load {
  const bookings = new Map<string, 'confirmed' | 'cancelled'>();
  const faults: string[] = [];
  const first = Math.ceil(Date.now() / HOUR_MS) + HOURS_AHEAD;
  let begun = 0;
  let stopped = false;

  async function book(person: Person): Promise<void> {
    begun += 1;
    const number = begun;
    const [startTime = '', endTime = ''] = [number, number + 1].map((hour) =>
      new Date((first + hour) * HOUR_MS).toISOString(),
    );
    const bookingId = await hold(client, person, { studioId, startTime, endTime });
    await pay(client, bookingId);
    bookings.set(bookingId, 'confirmed');
    const token = await client.signIn(person.email, person.password);
    const own = await client.ask(`/rest/v1/bookings?select=id,status&id=eq.${bookingId}`, { token });
    if (!JSON.stringify(own).includes(bookingId)) throw new Error(`the customer does not see ${bookingId}`);
    await client.ask('/rest/v1/studios?select=id,name');
    if (number % CANCEL_EVERY !== 0) return;
    await callAs(client, person, 'cancel-booking', { bookingId });
    bookings.set(bookingId, 'cancelled');
  }

  /** Runs until it is stopped or something fails. */
  async function runCustomer(): Promise<void> {
    const person = await addCustomer(client);
    while (!stopped) await book(person);
  }

  const running = Array.from({ length: customers }, () =>
    runCustomer().catch((error: unknown) => void faults.push(String(error))),
  );
  return {
    bookings,
    faults,
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
  };
}

/** Signs a customer up, with the mailed code and a verified ID. */
async function addCustomer(client: Client): Promise<Person> {
  const person = { email: `${randomUUID().slice(0, 13)}@example.org`, password: 'warm-valve-amp-71' };
  await signUp(client, person, 'Alex');
  await verifyId(client, person, 'Alex');
  return person;
}
