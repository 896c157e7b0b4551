import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { type Sandbox, startSandbox } from './main.ts';

type Hook = { path: string; body: string; signature: string; at: number };

/** A sandbox on its own ports, a receiver for its webhooks, and the official SDK connected to it. */
export type Fixture = {
  readonly sandbox: Sandbox;
  /** Address of the webhook receiver, which takes the place of the server. */
  readonly target: string;
  readonly stripe: Stripe;
  /** The SDK with the restricted key. */
  readonly restricted: Stripe;
  readonly hooks: Hook[];
  /** Sets the status of the receiver's responses, 200 by default. With null, every sender waits until the next status is set. */
  answerWith(status: number | null): void;
  /** Returns the number of senders that wait for a response. */
  waiting(): number;
  control(method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }>;
  /** Posts a form to a hosted page without following redirects. */
  submit(url: string, form: Record<string, string>): Promise<Response>;
  look(url: string): Promise<Response>;
  /** Waits until `count` webhooks of a type have arrived. */
  hooked(type: string, count?: number): Promise<Hook[]>;
  close(): Promise<void>;
};

/** Returns the time in 31 minutes, in Unix seconds, which is just above the shortest lifetime of a session. */
export const inHalfAnHour = (): number => Math.floor(Date.now() / 1000) + 31 * 60;

export const booking = (
  more: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Stripe.Checkout.SessionCreateParams => ({
  mode: 'payment',
  line_items: [
    { quantity: 1, price_data: { currency: 'aud', unit_amount: 11_800, product_data: { name: 'Studio A, 2 hours' } } },
  ],
  customer_email: 'alex@example.com',
  client_reference_id: 'booking-1',
  success_url: 'http://shop.example/result?session={CHECKOUT_SESSION_ID}',
  cancel_url: 'http://shop.example/cancelled',
  ...more,
});

/** Returns the id of an object, whether or not it was expanded. */
export function getId(value: string | { id: string } | null): string {
  return typeof value === 'string' ? value : (value?.id ?? '');
}

export async function openFixture(stateFile: string | null = null): Promise<Fixture> {
  const hooks: Hook[] = [];
  let answer: number | null = 200;
  const waiting = new Set<ServerResponse>();
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const signature = String(request.headers['stripe-signature'] ?? '');
      hooks.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString(), signature, at: Date.now() });
      if (answer !== null) return void response.writeHead(answer).end();
      waiting.add(response);
      response.on('close', () => waiting.delete(response));
    });
  });
  const target = `http://127.0.0.1:${await listen(receiver)}`;
  const { sandbox, port } = await startOnFreePorts(target, stateFile);
  const client = (key: string): Stripe =>
    new Stripe(key, {
      host: '127.0.0.1',
      port: String(port + 1),
      protocol: 'http',
      maxNetworkRetries: 0,
      timeout: 3_000,
    });
  const local = (url: string): string => url.replace('//localhost:', '//127.0.0.1:');
  return {
    sandbox,
    target,
    stripe: client('sk_test_sandbox'),
    restricted: client('rk_test_sandbox'),
    hooks,
    answerWith(status) {
      answer = status;
      if (status !== null) for (const response of waiting) response.writeHead(status).end();
    },
    waiting: () => waiting.size,
    async control(method, path, body) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, json: await response.json() };
    },
    submit: (url, form) => fetch(local(url), { method: 'POST', redirect: 'manual', body: new URLSearchParams(form) }),
    look: (url) => fetch(local(url), { redirect: 'manual' }),
    async hooked(type, count = 1) {
      const until = Date.now() + 8_000;
      for (;;) {
        const found = hooks.filter((hook) => hook.body.includes(`"type":"${type}"`));
        if (found.length >= count) return found;
        if (Date.now() > until) throw new Error(`${found.length} webhooks of ${type} came, ${count} were awaited`);
        await new Promise((done) => setTimeout(done, 20));
      }
    },
    async close() {
      await sandbox.close();
      receiver.closeAllConnections();
      await new Promise((done) => receiver.close(done));
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // The address of a listening TCP server is an AddressInfo.
  return (server.address() as AddressInfo).port;
}

async function startOnFreePorts(
  webhookTarget: string,
  stateFile: string | null,
): Promise<{ sandbox: Sandbox; port: number }> {
  for (let tries = 0; ; tries += 1) {
    const port = 20_000 + 10 * Math.floor(Math.random() * 1_200);
    try {
      return { sandbox: await startSandbox({ port, webhookTarget, stateFile }), port };
    } catch (error) {
      if (tries >= 9) throw error;
    }
  }
}
