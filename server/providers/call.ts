/**
 * A call to an outside system that did not give a usable answer.
 * `retryable` false: it said no, and would again. `ambiguous` true: the effect may have happened,
 * so the caller repeats with the same key or looks the effect up; it never guesses.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly provider: string;
  readonly retryable: boolean;
  readonly ambiguous: boolean;
  /** The provider's own word, e.g. an error code; never shown to customers, never holds a secret. */
  readonly reason: string;
  /** It says something about the provider as a whole, not about this one call. Default: as `retryable`. */
  readonly outage: boolean;
  constructor(
    provider: string,
    reason: string,
    kind: { retryable: boolean; ambiguous?: boolean; outage?: boolean },
    cause?: unknown,
  ) {
    super(`${provider}: ${reason}`, { cause });
    this.provider = provider;
    this.reason = reason;
    this.retryable = kind.retryable;
    this.ambiguous = kind.ambiguous ?? false;
    this.outage = kind.outage ?? kind.retryable;
  }
}

/** A webhook whose signature, age or shape is wrong: answered 400, no row written. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
}

/** Reason of a call that was not made, because the provider did not answer those before. */
export const CIRCUIT_OPEN = 'circuit_open';
/** How long a provider that does not answer is left alone; then one call tries. */
export const CIRCUIT_OPEN_MS = 10_000;

/** How long any single request to a provider may take. */
export const PROVIDER_TIMEOUT_MS = 5_000;
