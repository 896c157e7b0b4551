import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { checkout, span as hours, type TestServer } from '#tests/support/test-server.ts';

type Attribute = {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
};
type Span = {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly Attribute[];
};

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

describe.each(oneEngine)('traces on $name', (engine) => {
  const spans: Span[] = [];
  const headers: (string | undefined)[] = [];
  let receiver: Server;
  let server: TestServer;

  async function receive(request: IncomingMessage): Promise<void> {
    // Cast: the format of OTLP (opentelemetry.io/docs/specs/otlp).
    const body = (await json(request)) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
    for (const { scopeSpans } of body.resourceSpans) for (const { spans: some } of scopeSpans) spans.push(...some);
  }

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      headers.push(request.headers['x-team']?.toString());
      void receive(request).then(() => response.setHeader('content-type', 'application/json').end('{}'));
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as AddressInfo;
    server = await engine.open({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=studio',
    });
  }, 120_000);
  afterAll(() => receiver.close());

  test('a request is a span, its statements and provider calls are inside it, and none names a person', async () => {
    const customer = await server.addCustomer();
    const answer = await fetch(`${server.url}/functions/v1/create-payment`, {
      method: 'POST',
      headers: {
        apikey: server.app.keys.anonKey,
        authorization: `Bearer ${customer.token}`,
        'content-type': 'application/json',
        traceparent: `00-${TRACE}-${PARENT}-01`,
      },
      body: JSON.stringify(checkout(hours(server.now(), 30))),
    });
    expect(answer.status).toBe(200);
    await server.settle();
    // The server sends the remaining spans when it closes.
    await server.close();
    expect(headers).toContain('studio');
    const own = spans.filter(({ traceId }) => traceId === TRACE);
    const request = own.find(({ parentSpanId }) => parentSpanId === PARENT);
    expect(request?.name).toBe('POST /functions/v1/create-payment');
    expect(findValue(request, 'http.response.status_code')).toBe(200);
    expect(findValue(request, 'request.id')).toBe(answer.headers.get('x-request-id'));
    const inside = own.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
    expect(inside.map(({ name }) => name)).toEqual(expect.arrayContaining(['stripe']));
    expect(inside.some(({ attributes }) => attributes.some(({ key }) => key === 'db.system.name'))).toBe(true);
    const all = JSON.stringify(spans);
    expect(all).not.toContain(customer.email);
    expect(all).not.toContain(customer.token);
    expect(all).not.toContain(customer.id);
  });
});

function findValue(span: Span | undefined, key: string): string | number | undefined {
  const value = span?.attributes.find((attribute) => attribute.key === key)?.value;
  return value?.stringValue ?? (value?.intValue === undefined ? undefined : Number(value.intValue));
}
