import type { z } from 'zod';

/**
 * A failed call to an outside system. `retryable` is false if the system refused the call and would refuse it again. `ambiguous` is true if
 * the effect may have happened, so the caller repeats the call with the same key or looks the effect up.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly provider: string;
  readonly retryable: boolean;
  readonly ambiguous: boolean;
  /** The provider's error code or a similar text. It is never shown to customers and never contains a secret. */
  readonly reason: string;
  /** The provider's own words, or what went wrong before it could reply. Contains neither personal data nor secrets. */
  readonly detail: string;
  /** Whether the whole provider is down and not only this call. Equals `retryable` by default. */
  readonly outage: boolean;
  constructor(
    provider: string,
    reason: string,
    kind: { retryable: boolean; ambiguous?: boolean; outage?: boolean; detail?: string | null },
    cause?: unknown,
  ) {
    super(`${provider}: ${reason}`, { cause });
    this.provider = provider;
    this.reason = reason;
    this.detail = withoutPersonal(kind.detail ?? getRootMessage(cause) ?? reason);
    this.retryable = kind.retryable;
    this.ambiguous = kind.ambiguous ?? false;
    this.outage = kind.outage ?? kind.retryable;
  }
}

/** Returns the message of the innermost cause, because that of `fetch` itself is only "fetch failed". */
function getRootMessage(cause: unknown): string | null {
  if (!(cause instanceof Error)) return null;
  return getRootMessage(cause.cause) ?? cause.message;
}

const WORDS_MAX = 300;
/** The order matters: a later pattern would match part of a text that an earlier one matches as a whole. */
const PERSONAL: readonly (readonly [RegExp, string])[] = [
  [/\b(?:Bearer|Basic)\s+\S+/gi, '[secret]'],
  [/\b(?:sk|rk|pk|whsec)_\S+/g, '[secret]'],
  [/\beyJ[\w-]+(?:\.[\w-]+)*/g, '[secret]'],
  [/\bhttps?:\/\/[^\s?]*\?\S*/gi, '[address]'],
  [/[^\s<>"'()=:,;]+@[^\s<>"'(),;]+/g, '[email]'],
  // Phone numbers, card numbers and access codes, but not the digits within an id such as pi_3Q12345.
  [/(?<![\w.-])\+?\d(?:[ ()-]?\d){7,}(?![\w-])/g, '[number]'],
  [/(?<![\w.-])\d{4,}(?![\w-])/g, '[number]'],
];

/**
 * Returns the part of an outside system's text that may be stored: its first line, without addresses, long numbers, secrets and queries.
 */
export function withoutPersonal(words: string): string {
  const [line = ''] = words.split(/[\r\n]/, 1);
  return PERSONAL.reduce((text, [pattern, name]) => text.replace(pattern, name), line).slice(0, WORDS_MAX);
}

/** A webhook with a wrong signature, age or shape. It is answered with 400, and nothing is stored. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
}

/** The end of the `reason` if a mail server's refusal concerns the recipient. */
export const ADDRESS_REFUSED = '_recipient';

/** Whether the mail server refused the recipient's address permanently. */
export function isAddressRefused(error: unknown): error is ProviderError {
  return error instanceof ProviderError && !error.retryable && error.reason.endsWith(ADDRESS_REFUSED);
}

/** The reason of a call that was not made because the circuit is open. */
export const CIRCUIT_OPEN = 'circuit_open';
/** The time for which a circuit stays open before one trial call. */
export const CIRCUIT_OPEN_MS = 10_000;

/** Maximum duration of a single request to a provider. */
export const PROVIDER_TIMEOUT_MS = 5_000;

/** Checks the shape of a provider's reply. Throws an ambiguous `ProviderError`, because the call itself succeeded. */
export function readReply<S extends z.ZodType>(provider: string, schema: S, reply: unknown): z.output<S> {
  const parsed = schema.safeParse(reply);
  if (parsed.success) return parsed.data;
  throw new ProviderError(provider, 'invalid_response', { retryable: true, ambiguous: true }, parsed.error);
}

/**
 * The name of a provider's call. `about`: ids that lead to its booking: those of the booking, of a payment, or of a session or payment at
 * the provider; or the booking's reference.
 */
export type NamedCall = { readonly operation: string; readonly about?: readonly (string | null)[] };

/** `refused`: the provider rejected the call. `failed`: the provider did not reply properly. `not_called`: the circuit is open. */
type CallOutcome = 'ok' | 'refused' | 'failed' | 'not_called';

export type EndedCall = NamedCall & {
  readonly provider: string;
  readonly outcome: CallOutcome;
  readonly seconds: number;
  /** The error that was thrown; null if the call succeeded. */
  readonly error: unknown;
};

/** Called after each call of a provider. Must not throw. */
export type ObserveCalls = (ended: EndedCall) => void;

/** Makes a call of a provider and reports its outcome. Every call of every provider passes through here. */
export async function observed<T>(
  observe: ObserveCalls,
  call: NamedCall & { readonly provider: string },
  work: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  const end = (outcome: CallOutcome, error: unknown): void =>
    observe({ ...call, outcome, seconds: (performance.now() - began) / 1000, error });
  try {
    const value = await work();
    end('ok', null);
    return value;
  } catch (error) {
    end(getOutcome(error), error);
    throw error;
  }
}

/** Reads a list of a provider piece by piece and reports it as one call, whose time is the time spent waiting for the provider. */
export async function* observedList<T>(
  observe: ObserveCalls,
  call: NamedCall & { readonly provider: string },
  list: AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const pieces = list[Symbol.asyncIterator]();
  let seconds = 0;
  let ended: Pick<EndedCall, 'outcome' | 'error'> = { outcome: 'ok', error: null };
  try {
    for (;;) {
      const began = performance.now();
      const piece = await pieces.next().finally(() => (seconds += (performance.now() - began) / 1000));
      if (piece.done) return;
      yield piece.value;
    }
  } catch (error) {
    ended = { outcome: getOutcome(error), error };
    throw error;
  } finally {
    observe({ ...call, ...ended, seconds });
    await pieces.return?.();
  }
}

function getOutcome(error: unknown): CallOutcome {
  if (!(error instanceof ProviderError)) return 'failed';
  if (error.reason === CIRCUIT_OPEN) return 'not_called';
  return error.retryable || error.ambiguous ? 'failed' : 'refused';
}
