import { z } from 'zod';
import { address, text, whole } from '../fields.ts';

/** The environment variables for traces and slow statements, spread into the schema in config.ts. */
export const observeFields = {
  OTEL_EXPORTER_OTLP_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: text.optional(),
  OTEL_SERVICE_NAME: text.default('studio-booking'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  SLOW_STATEMENT_MS: whole(1, 600_000).default(1_000),
};
type ObserveEnvironment = z.output<z.ZodObject<typeof observeFields>>;

export type ObserveConfig = {
  /** The receiver of traces, or null if no traces are recorded. */
  readonly traces: {
    /** Address of an OTLP receiver (HTTP), without `/v1/traces`. */
    readonly endpoint: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly serviceName: string;
    /** The share of requests that are traced, from 0 to 1. */
    readonly ratio: number;
  } | null;
  /** Duration in milliseconds from which statements are logged. */
  readonly slowStatementMs: number;
};

export function readObserveConfig(env: ObserveEnvironment): ObserveConfig {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return {
    slowStatementMs: env.SLOW_STATEMENT_MS,
    traces:
      endpoint === undefined
        ? null
        : {
            endpoint,
            headers: readHeaders(env.OTEL_EXPORTER_OTLP_HEADERS ?? ''),
            serviceName: env.OTEL_SERVICE_NAME,
            ratio: env.OTEL_TRACES_SAMPLER_ARG,
          },
  };
}

/** Reads `name=value` pairs separated by commas. Values are percent-encoded (opentelemetry.io/docs/specs/otel/protocol/exporter). */
function readHeaders(list: string): Record<string, string> {
  const pairs = list.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}
