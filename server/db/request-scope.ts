import { AsyncLocalStorage } from 'node:async_hooks';
import type { Statement } from './pipeline.ts';

type Scope = { readonly requestId: string | null; caller: string | null; readonly subjectId: string | null };
const scopes = new AsyncLocalStorage<Scope>();

/**
 * Runs `work`, and everything it causes, as part of a request: its log lines, statements, jobs and mails have the id. `caller`: whose
 * request it is, as in `Principal.caller`; null for a job. `subjectId`: what a job is about.
 */
export function withinRequest<T>(
  requestId: string,
  work: () => T,
  caller: string | null = null,
  subjectId: string | null = null,
): T {
  return scopes.run({ requestId, caller, subjectId }, work);
}

/** Notes whose request is running, once its token is verified. */
export function noteCaller(caller: string): void {
  const scope = scopes.getStore();
  if (scope) scope.caller = caller;
}

/** Whose request the running code belongs to; null outside of requests. */
export const currentCaller = (): string | null => scopes.getStore()?.caller ?? null;

/** Runs `work`, and everything it causes, as being about `subjectId`: calls of providers that fail are logged with it. */
export function withSubject<T>(subjectId: string, work: () => T): T {
  const { requestId, caller } = scopes.getStore() ?? { requestId: null, caller: null };
  return scopes.run({ requestId, caller, subjectId }, work);
}

/** What the running code is about: the subject of its job, or that of `withSubject`; null without either. */
export const currentSubject = (): string | null => scopes.getStore()?.subjectId ?? null;

/** Runs `work` as part of no request: its transactions begin with its own first statement. */
export function outsideOfRequests<T>(work: () => T): T {
  return scopes.exit(work);
}

/** The id of the request, or of the job's request, that the running code belongs to; null outside of both. */
export function currentRequest(): string | null {
  return scopes.getStore()?.requestId ?? null;
}

/** What notes the request in a transaction of the server: triggers and defaults read it, such as the one of `private.outbox`. */
export function requestMark(): readonly Statement[] {
  const requestId = currentRequest();
  return requestId === null
    ? []
    : [{ text: `select octet_length(set_config('request.id', $1, true))`, values: [requestId] }];
}
