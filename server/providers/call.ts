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
  constructor(provider: string, reason: string, kind: { retryable: boolean; ambiguous?: boolean }, cause?: unknown) {
    super(`${provider}: ${reason}`, { cause });
    this.provider = provider;
    this.reason = reason;
    this.retryable = kind.retryable;
    this.ambiguous = kind.ambiguous ?? false;
  }
}

/** A webhook whose signature, age or shape is wrong: answered 400, no row written. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
}

/** How long any single provider call may take (promises G12). */
export const PROVIDER_TIMEOUT_MS = 5_000;
