import { afterEach, expect, vi } from 'vitest';

/** A request from the pages that awaits its answer. */
type Waiting = { readonly address: string; readonly body: unknown; readonly answer: (response: Response) => void };

let waiting: Waiting[] = [];
/** Replaces `fetch`: every request waits until the test answers it. */
export function delayServer(): void {
  waiting = [];
  vi.stubGlobal('fetch', (input: RequestInfo | URL, init: RequestInit = {}) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input, 'http://localhost');
    return new Promise<Response>((answer) => {
      const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
      waiting.push({ address: `${init.method ?? 'GET'} ${pathname}`, body, answer });
    });
  });
}
afterEach(() => vi.unstubAllGlobals());

/** Returns the requests that await an answer. */
export const sentRequests = (): string[] => waiting.map(({ address }) => address);

/** Waits until exactly one request to the function `name` is pending, and returns its body. */
export async function expectOneCall(name: string): Promise<unknown> {
  await expect.poll(sentRequests).toContain(`POST /functions/v1/${name}`);
  expect(sentRequests().filter((address) => address.endsWith(`/${name}`))).toHaveLength(1);
  return waiting.find(({ address }) => address.endsWith(`/${name}`))?.body;
}

/** Answers the pending request to the function `name`. */
export function answerCall(name: string, answer: unknown, status = 200): void {
  const found = waiting.find(({ address }) => address.endsWith(`/${name}`));
  if (!found) throw new Error(`no request to ${name} waits`);
  waiting = waiting.filter((request) => request !== found);
  found.answer(Response.json(answer, { status }));
}
