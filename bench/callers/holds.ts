import { createServer, type Server } from 'node:http';
import type { CallerRequest } from './connection.ts';

export const HOUR = 3_600_000;

/** Starts a payment provider that answers at once, so that only the server's own time is measured. */
export async function startInstantPayments(port: number): Promise<Server> {
  let count = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => void (body += chunk.toString()));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      // The server's jobs request lists. An answer that they cannot read would count as a failure of the provider.
      if (request.method === 'GET') return void response.end('{"object":"list","data":[],"has_more":false}');
      count += 1;
      const booking = new URLSearchParams(body).get('client_reference_id');
      response.end(
        JSON.stringify({
          id: `cs_bench_${count}`,
          object: 'checkout.session',
          url: 'http://localhost/pay',
          status: 'open',
          payment_status: 'unpaid',
          payment_intent: null,
          amount_total: 4900,
          currency: 'aud',
          client_reference_id: booking,
          livemode: false,
          metadata: {},
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(port, resolve));
  return server;
}

/**
 * Returns the request for hold number `at`, whose hours begin at `begin` or later. Each number has a different hour or a different studio.
 */
export function holdRequest(token: string, at: number, begin: number): CallerRequest {
  const start = begin + Math.floor(at / 3) * HOUR;
  const studioId = `5a000000-0000-4000-8000-00000000000${'abc'[at % 3] ?? 'a'}`;
  const metadata = {
    studioId,
    startTime: new Date(start).toISOString(),
    endTime: new Date(start + HOUR).toISOString(),
    couponCode: null,
    termsAccepted: true,
  };
  return {
    method: 'POST',
    path: '/functions/v1/create-payment',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ metadata }),
  };
}
