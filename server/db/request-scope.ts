import { AsyncLocalStorage } from 'node:async_hooks';
import type { Statement } from './pipeline.ts';

type Scope = { readonly requestId: string | null; caller: string | null; readonly subjectId: string | null };
const scopes = new AsyncLocalStorage<Scope>();

/**
 * Runs `work`, and everything it causes, as part of a request: its log lines, statements, jobs and emails carry the id. `caller`: the
 * caller of the request, as in `Principal.caller`; null for a job. `subjectId`: the subject of a job.
 */
export function withinRequest<T>(
  requestId: string,
  work: () => T,
  caller: string | null = null,
  subjectId: string | null = null,
): T {
  return scopes.run({ requestId, caller, subjectId }, work);
}

/** Records the caller of the running request, once its token is verified. */
export function noteCaller(caller: string): void {
  const scope = scopes.getStore();
  if (scope) scope.caller = caller;
}

/** Returns the caller of the request that the running code belongs to; null outside of requests. */
export const currentCaller = (): string | null => scopes.getStore()?.caller ?? null;

/** Runs `work`, and everything it causes, with `subjectId` as its subject: failed provider calls are logged with it. */
export function withSubject<T>(subjectId: string, work: () => T): T {
  const { requestId, caller } = scopes.getStore() ?? { requestId: null, caller: null };
  return scopes.run({ requestId, caller, subjectId }, work);
}

/** Returns the subject of the running code, from its job or from `withSubject`; null without either. */
export const currentSubject = (): string | null => scopes.getStore()?.subjectId ?? null;

/** Runs `work` outside of any request, so that its transactions begin with its own first statement. */
export function outsideOfRequests<T>(work: () => T): T {
  return scopes.exit(work);
}

/** Returns the id of the request that the running code belongs to, directly or through its job; null outside of both. */
export function currentRequest(): string | null {
  return scopes.getStore()?.requestId ?? null;
}

/**
 * Returns the statement that records the request in a transaction of the server: triggers and defaults read it, such as the default in
 * `private.outbox`.
 */
export function requestMark(): readonly Statement[] {
  const requestId = currentRequest();
  return requestId === null
    ? []
    : [{ text: `select octet_length(set_config('request.id', $1, true))`, values: [requestId] }];
}
