import { AsyncLocalStorage } from 'node:async_hooks';
import type { Statement } from './pipeline.ts';

const scopes = new AsyncLocalStorage<string>();

/** Runs `work`, and everything it causes, as part of a request: its log lines, statements, jobs and mails have the id. */
export function withinRequest<T>(requestId: string, work: () => T): T {
  return scopes.run(requestId, work);
}

/** Runs `work` as part of no request: its transactions begin with its own first statement. */
export function outsideOfRequests<T>(work: () => T): T {
  return scopes.exit(work);
}

/** The id of the request, or of the job's request, that the running code belongs to; null outside of both. */
export function currentRequest(): string | null {
  return scopes.getStore() ?? null;
}

/** What notes the request in a transaction of the server: triggers and defaults read it, such as the one of `private.outbox`. */
export function requestMark(): readonly Statement[] {
  const requestId = scopes.getStore();
  return requestId === undefined
    ? []
    : [{ text: `select octet_length(set_config('request.id', $1, true))`, values: [requestId] }];
}
