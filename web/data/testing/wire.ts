import type { User } from '@supabase/supabase-js';
import { cleanup, configure } from '@testing-library/react';
import { http, HttpResponse } from 'msw/http';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import * as contracts from '#contracts/calls.ts';
import type { CallName, CallRefusal, ContractFor } from '#contracts/call-types.ts';
import type { Call } from '#contracts/core/define-call.ts';
import { REFUSAL_STATUS as statuses } from '#contracts/core/refusals.ts';
import type { Database } from '#database/types.ts';
import type { CallBody } from '../fetch-client.ts';

/**
 * The server of a component test, replaced at the wire: the modules that call it are the real ones, and MSW answers their requests. Each
 * call of `/functions/v1` answers with the example of its contract unless the test sets another answer. A body that breaks its contract, or
 * a request that nothing answers, fails the test.
 */

const contractsByName = new Map<string, Call>(Object.values<Call>(contracts).map((call) => [call.name, call]));

type Rest = Database['public'];
/** A table, a view, or a function of `/rest/v1/rpc`. */
type RestName = keyof Rest['Tables'] | keyof Rest['Views'] | keyof Rest['Functions'];
/** A value as a test writes it. JSON converts a `Date` to a text. */
type Written<Value> = Value extends string
  ? Value | (string extends Value ? Date : never)
  : Value extends readonly (infer Item)[]
    ? readonly Written<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Written<Value[Key]> }
      : Value;
type AnswerTo<Name extends CallName> = ContractFor<Name>['answer']['_zod']['output'];

type Reply = { readonly status: number; readonly body: unknown; readonly type?: string };
/** A path of the account API or the storage, or the path of the studio's status. */
type Path = `/${'auth' | 'storage'}/v1/${string}` | '/status.json';
/** Requests of a path: all of them, or those of one method. */
type PathRequests = Path | `${'GET' | 'POST' | 'PUT' | 'DELETE'} ${Path}`;
/** A request that the pages have sent. `body`: the parsed JSON; undefined if there is none. */
export type SentRequest = {
  readonly method: string;
  /** The name of the function or of the table, or the path. */
  readonly name: string;
  readonly search: URLSearchParams;
  readonly body: unknown;
};

/** Without this header supabase-js does not read the error codes of the account API. Other services do not send it, and their clients ignore it. */
const AUTH_VERSION = { 'x-supabase-api-version': '2024-01-01' };
/** The fields of an account that a test sets. */
type AccountFields = Partial<Omit<User, 'id'>> & Pick<User, 'id'>;
/** The key under which supabase-js keeps the session for this address. */
const SESSION_KEY = 'sb-localhost-auth-token';

let replies = new Map<string, (request: SentRequest) => Reply | Promise<Reply>>();
let requests: SentRequest[] = [];
let faults: string[] = [];
/** Functions that let the held requests of this test continue. */
let releases: (() => void)[] = [];

const toJson = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
function toResponse({ status, body, type }: Reply): Response {
  if (status === 0) return HttpResponse.error();
  if (type !== undefined) return new HttpResponse(String(body), { status, headers: { 'content-type': type } });
  return HttpResponse.json(toJson(body) as null, { status, headers: AUTH_VERSION });
}

function contractFor(name: string): Call {
  const contract = contractsByName.get(name);
  if (contract === undefined) throw new Error(`there is no contract of ${name}`);
  return contract;
}

async function record(request: Request, name: string): Promise<SentRequest> {
  const text = await request.text();
  const { searchParams } = new URL(request.url);
  const isJson = request.headers.get('content-type')?.includes('json') ?? false;
  const body: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : text;
  const sentRequest = { method: request.method, name, search: searchParams, body };
  requests.push(sentRequest);
  return sentRequest;
}

const server = setupServer(
  http.all<{ name: string }>('*/functions/v1/:name', async ({ request, params: { name } }) => {
    const sentRequest = await record(request, name);
    const { body, example } = contractFor(name);
    const problem = body.safeParse(sentRequest.body ?? Object.fromEntries(sentRequest.search)).error;
    if (problem) faults.push(`${name} was sent a body that its contract refuses: ${problem.message}`);
    return toResponse((await replies.get(name)?.(sentRequest)) ?? { status: 200, body: example.answer });
  }),
  ...['*/auth/v1/*', '*/storage/v1/*', '*/status.json'].map((address) =>
    http.all(address, ({ request }) => answerRest(request, new URL(request.url).pathname)),
  ),
  http.all<{ name: string }>('*/rest/v1/:name', ({ request, params: { name } }) => answerRest(request, name)),
  http.all<{ name: string }>('*/rest/v1/rpc/:name', ({ request, params: { name } }) => answerRest(request, name)),
);

async function answerRest(request: Request, name: string): Promise<Response> {
  const sentRequest = await record(request, name);
  const reply = await (replies.get(`${request.method} ${name}`) ?? replies.get(name))?.(sentRequest);
  if (reply === undefined) faults.push(`nothing answers ${request.method} ${name}`);
  const { status, body, type }: Reply = reply ?? {
    status: 404,
    body: { code: 'PGRST205', message: `no answer for ${name}` },
  };
  const single = request.headers.get('accept')?.includes('vnd.pgrst.object') ?? false;
  if (!single || !Array.isArray(body)) return toResponse({ status, body, ...(type === undefined ? {} : { type }) });
  if (body.length === 1) return toResponse({ status, body: body[0] });
  return toResponse({ status: 406, body: { code: 'PGRST116', message: 'The result contains 0 rows', details: '' } });
}

// On a busy machine the first request of a file takes up to a second, which is the default timeout.
configure({ asyncUtilTimeout: 10_000 });

const { fetch: simulatedFetch } = window;
/** Pages recognise the message of a browser that cannot reach the server. happy-dom's message differs. */
const fetchAsBrowser: typeof fetch = (...request) =>
  simulatedFetch(...request).catch((error: Error) => {
    throw error.message.endsWith('Network error') ? new TypeError('Failed to fetch') : error;
  });

beforeAll(() => {
  window.fetch = fetchAsBrowser;
  server.listen({
    onUnhandledFrame: async ({ frame, defaults }) => {
      faults.push(`nothing answers: ${await frame.getUnhandledMessage()}`);
      return defaults.error();
    },
  });
});
afterEach(() => {
  // Components must stop reading before the answers are dropped.
  cleanup();
  // A held request whose test has failed or never releases it would keep the run from ending.
  for (const release of releases) release();
  releases = [];
  replies = new Map();
  requests = [];
  localStorage.removeItem(SESSION_KEY);
  expect(takeFaults()).toEqual([]);
});
afterAll(() => {
  server.close();
  window.fetch = simulatedFetch;
});

/** Returns the faults of the pages at the wire, and clears them. */
export function takeFaults(): string[] {
  const found = faults;
  faults = [];
  return found;
}

/** Returns the answer in the example of a function's contract. */
export function exampleFrom<Name extends CallName>(name: Name): AnswerTo<Name> {
  return structuredClone(contractFor(name).example.answer) as AnswerTo<Name>;
}

/** From now on, the function `name` gives this answer, which its contract must allow. */
export function answer<Name extends CallName>(name: Name, body: Written<AnswerTo<Name>>): void {
  const problem = findProblem(name, body);
  if (problem !== null) throw new Error(problem);
  replies.set(name, () => ({ status: 200, body }));
}

/** From now on, the function `name` gives the answer that `reply` computes from the body. */
export function answerWith<Name extends CallName>(
  name: Name,
  reply: (body: CallBody<Name>) => Written<AnswerTo<Name>>,
): void {
  replies.set(name, (request) => {
    const body = reply(request.body as CallBody<Name>);
    faults.push(...[findProblem(name, body)].filter((problem) => problem !== null));
    return { status: 200, body };
  });
}

/** Returns why a function cannot give this answer; null if it can. */
function findProblem(name: CallName, body: unknown): string | null {
  const { error } = contractFor(name).answer.safeParse(toJson(body));
  return error === undefined ? null : `${name} does not answer like this: ${error.message}`;
}

/** From now on, the function `name` answers with this file. `type` is a type that its contract lists. */
export function answerFile(name: CallName, text: string, type: string): void {
  if (contractFor(name).files?.includes(type) !== true) throw new Error(`${name} does not answer with ${type}`);
  replies.set(name, () => ({ status: 200, body: text, type }));
}

/** From now on, the account API, the storage or the status answers requests of this path, such as `/auth/v1/user`. */
export function answerPath(path: PathRequests, body: unknown, type?: string): void {
  replies.set(path, () => ({ status: 200, body, ...(type === undefined ? {} : { type }) }));
}

/** From now on, the account API refuses requests of this path with this code. `fields` adds fields to the body. */
export function refusePath(
  path: PathRequests,
  status: number,
  code: string,
  message: string,
  fields: object = {},
): void {
  replies.set(path, () => ({ status, body: { code, message, ...fields } }));
}

/** Returns a new session of this account, as the account API sends it. */
export function sessionFor(user: AccountFields): object {
  const lifetime = 3_600;
  return {
    access_token: 'token',
    refresh_token: 'refresh',
    token_type: 'bearer',
    expires_in: lifetime,
    expires_at: Math.floor(Date.now() / 1_000) + lifetime,
    user,
  };
}

/** Stores a session of this account in the browser, as the client of the account API keeps it. */
export function signIn(userId: string, fields: Omit<AccountFields, 'id'> = {}): void {
  localStorage.setItem(SESSION_KEY, JSON.stringify(sessionFor({ id: userId, ...fields })));
}

/**
 * From now on, the function `name` refuses with this code and the message of its contract's example. `fields` replaces the message or other
 * fields of the example. A refusal that follows from who may call has no example, so it needs a message.
 */
export function refuse<Name extends CallName>(
  name: Name,
  code: CallRefusal<Name>,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  const key: keyof typeof statuses = code;
  const error = { code, ...contractFor(name).refusals[key], ...fields };
  if (!('message' in error)) throw new Error(`the contract of ${name} has no message for ${code}`);
  const { message, ...others } = error;
  replies.set(name, () => ({ status: statuses[key], body: errorBody(name, String(message), others) }));
}

/** Returns the body of a refusal of this function. One function has its own format. */
const errorBody = (name: string, message: string, fields: object): unknown =>
  name === 'regenerate-pin' ? { success: false, error: message, ...fields } : { error: { message, ...fields } };

/**
 * From now on, the function, table or path `name` fails with this status. 0: it cannot be reached. 502: the proxy answers instead of the
 * server, with a page.
 */
export function fail(
  name: CallName | RestName | PathRequests,
  status: 0 | 500 | 502,
  message = 'Something broke.',
): void {
  const body = contractsByName.has(name) ? errorBody(name, message, { code: 'unknown' }) : { code: 'unknown', message };
  const page = { status, body: '<h1>Bad Gateway</h1>', type: 'text/html' };
  replies.set(name, () => (status === 502 ? page : { status, body }));
}

/**
 * From now on, `/rest/v1` answers requests of this table or view with these rows, and calls of this function with this value. With a
 * `method`, only requests of that method.
 */
export function answerRows(name: RestName, rows: unknown, method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'): void {
  const reply = typeof rows === 'function' ? rows : () => rows;
  replies.set(method === undefined ? name : `${method} ${name}`, (request) => ({ status: 200, body: reply(request) }));
}

/** From now on, `/rest/v1` refuses requests of `name` with this PostgreSQL error code. */
export function refuseRows(name: RestName, code: string, message: string, details: string | null = null): void {
  replies.set(name, () => ({ status: 400, body: { code, message, details, hint: null } }));
}

/**
 * From now on, requests of `name` wait, until the test ends at the latest. Returns a function that lets them continue to the answer that
 * they had before.
 */
export function pause(name: CallName | RestName | PathRequests): () => void {
  const before = replies.get(name);
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  releases.push(release);
  replies.set(name, async (request) => {
    await released;
    return (await before?.(request)) ?? { status: 200, body: contractFor(name).example.answer };
  });
  return release;
}

/** Returns the bodies that the function `name` received, oldest first. */
export function sent<Name extends CallName>(name: Name): CallBody<Name>[] {
  return sentTo(name).map(({ body }) => body as CallBody<Name>);
}

/** Returns the requests for a function, table or path, oldest first. With a `method`, only those of that method. */
export function sentTo(name: CallName | RestName | Path, method?: string): SentRequest[] {
  return requests.filter((request) => request.name === name && (method === undefined || request.method === method));
}

/** Waits until the function `name` has received exactly these bodies in this test. */
export async function expectSent<Name extends CallName>(
  name: Name,
  ...bodies: readonly CallBody<Name>[]
): Promise<void> {
  await expect.poll(() => sent(name), { interval: 5 }).toEqual(bodies);
}

/** Waits until `name` has been requested this many times in this test. */
export async function expectRequests(name: CallName | RestName | Path, count: number): Promise<void> {
  await expect.poll(() => sentTo(name).length, { interval: 5 }).toBe(count);
}
