import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context, SpanContext } from '@opentelemetry/api';
import type { Spans, SpanEnd, SpanStart } from '#server/db/spans.ts';
import type { ObserveConfig } from '#server/config/operating/observe.ts';
import { currentRequest } from '#server/db/request-scope.ts';

type TraceSettings = NonNullable<ObserveConfig['traces']>;
export type Traces = { readonly spans: Spans; close(): Promise<void> };

/** `traceparent` of W3C Trace Context, version 00. */
const PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Sends spans to an OTLP receiver (opentelemetry.io/docs/specs/otlp). The packages are imported here, so that a server without the setting
 * never loads them. If the receiver does not answer, its spans are lost and nothing is delayed.
 */
export async function openTraces(settings: TraceSettings): Promise<Traces> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const share = new sdk.TraceIdRatioBasedSampler(settings.ratio);
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': settings.serviceName }),
    // Any client may send a traceparent, so it does not decide what is traced.
    sampler: new sdk.ParentBasedSampler({ root: share, remoteParentSampled: share, remoteParentNotSampled: share }),
    spanProcessors: [
      new sdk.BatchSpanProcessor(
        new OTLPTraceExporter({
          url: `${settings.endpoint.replace(/\/$/, '')}/v1/traces`,
          headers: { ...settings.headers },
        }),
      ),
    ],
  });
  const tracer = provider.getTracer('studio-booking');
  const running = new AsyncLocalStorage<Context>();
  const kinds = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT, job: api.SpanKind.CONSUMER };
  const toParent = (text: string | undefined): Context => {
    const remote = text === undefined ? null : remoteParent(text);
    return remote === null ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, remote);
  };

  async function run<T>(start: SpanStart, work: () => Promise<T>, describe?: () => SpanEnd): Promise<T> {
    const parent = running.getStore() ?? toParent(start.parent);
    const requestId = currentRequest();
    const span = tracer.startSpan(
      start.name,
      {
        kind: kinds[start.kind],
        attributes: { ...start.attributes, ...(requestId === null ? {} : { 'request.id': requestId }) },
      },
      parent,
    );
    try {
      return await running.run(api.trace.setSpan(parent, span), work);
    } catch (error) {
      // Records only the error's name and code: a message may quote what a person sent.
      span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.setAttribute('error.type', errorType(error));
      throw error;
    } finally {
      const end = describe?.();
      if (end?.name !== undefined) span.updateName(end.name);
      if (end) span.setAttributes({ ...end.attributes });
      if (end?.failed === true) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
    }
  }
  return { spans: { run }, close: () => provider.shutdown() };
}

function remoteParent(text: string): SpanContext | null {
  const [, traceId, spanId, flags = '00'] = PARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? `${error.name} ${error.code}` : error.name;
}
