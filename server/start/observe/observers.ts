import type { Database } from '#server/db/database.ts';
import { observeStatements } from '#server/db/observed.ts';
import { withinRequest } from '#server/db/request-scope.ts';
import type { Spans } from '#server/db/spans.ts';
import type { Log } from '#server/http/caller.ts';
import type { MiddlewareOptions } from '#server/http/middleware.ts';
import type { JobScope } from '#server/queue/worker.ts';
import type { ObserveConfig } from '#server/config/operating/observe.ts';

type RequestScope = NonNullable<MiddlewareOptions['scope']>;
/** Traces and logs the work that a request causes. */
export type Observers = {
  readonly spans: Spans | null;
  readonly requestScope: RequestScope;
  readonly jobScope: JobScope;
  /** Returns a database that logs slow statements and, with tracing, records statements as spans. */
  readonly watch: (db: Database) => Database;
  /** Sends the remaining spans. */
  readonly close: () => Promise<void>;
};

/** Runs requests and jobs so that all work they cause carries the request id. With a trace receiver, each of them is a span. */
export async function openObservers(
  { traces: settings, slowStatementMs: slowMs }: ObserveConfig,
  log: Log,
): Promise<Observers> {
  const traces = settings === null ? null : await (await import('./traces.ts')).openTraces(settings);
  const spans = traces?.spans ?? null;
  const logSlow = (statement: object): void => log.warn({ ...statement }, 'a statement was slow');
  return {
    spans,
    ...createScopes(spans),
    watch: (db) => observeStatements(db, { slowMs, logSlow, spans }),
    close: async () => traces?.close(),
  };
}

function createScopes(spans: Spans | null): Pick<Observers, 'requestScope' | 'jobScope'> {
  return {
    requestScope: ({ requestId, caller, api, method, traceparent, end }, work) => {
      const traced = (): Promise<void> => {
        // Requests for pages, health and metrics are not traced: they would make up most of the traces.
        if (spans === null || api === 'site') return work();
        const start = { name: `${method} /${api}/v1`, kind: 'server', attributes: {}, parent: traceparent() } as const;
        return spans.run(start, work, () => {
          const { route, status } = end();
          const attributes = {
            'http.request.method': method,
            'http.route': route,
            'http.response.status_code': status,
          };
          return { name: `${method} ${route}`, attributes, failed: status >= 500 };
        });
      };
      return withinRequest(requestId, traced, caller);
    },
    jobScope: ({ kind, requestId, subjectId }, work) => {
      const traced = () =>
        spans === null ? work() : spans.run({ name: `job ${kind}`, kind: 'job', attributes: {} }, work);
      return withinRequest(requestId, traced, null, subjectId);
    },
  };
}
