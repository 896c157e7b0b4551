import pino from 'pino';
import type { Log } from './caller.ts';

/** Fields whose values never reach the log, whether at the top level of an entry or one or two levels down. */
const SECRETS = [
  'password',
  'pin',
  'token',
  'access_token',
  'refresh_token',
  'authorization',
  'apikey',
  'cookie',
  'secret',
];
const CAUSES_MAX = 5;
/** Fields of an error that are logged. Other fields may quote rows: PostgreSQL's `detail` contains the values of a refused row. */
const ERROR_FIELDS = ['code', 'status', 'constraint', 'table', 'column', 'provider', 'reason', 'retryable'];

/**
 * Creates the log, which writes one JSON line per entry to standard output, with the id of the current request. `err` is logged with its
 * type, message, code and stack, and so is each error that caused it.
 */
export function createLog(
  level: string,
  destination?: pino.DestinationStream,
  currentRequest: () => string | null = () => null,
): Log {
  const logger = pino(
    {
      level,
      base: null,
      mixin: () => {
        const requestId = currentRequest();
        return requestId === null ? {} : { requestId };
      },
      redact: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      serializers: { err: (error: unknown) => describeError(error) },
    },
    destination,
  );
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error);
  const fields = Object.entries(error).filter(([name, value]) => ERROR_FIELDS.includes(name) && value !== null);
  return {
    type: error.name,
    message: error.message,
    ...Object.fromEntries(fields),
    stack: error.stack,
    ...(error.cause === undefined || depth === CAUSES_MAX ? {} : { cause: describeError(error.cause, depth + 1) }),
  };
}
