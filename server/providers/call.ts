import type { z } from 'zod';

/**
 * A failed call to an outside system.
 * `retryable` false: it refused, and would again. `ambiguous` true: the effect may have happened,
 * so the caller repeats with the same key or looks the effect up.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly provider: string;
  readonly retryable: boolean;
  readonly ambiguous: boolean;
  /** The provider's error code or the like; never shown to customers, never a secret. */
  readonly reason: string;
  /** Whether the whole provider is down, not only this call. Default: as `retryable`. */
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

/** A webhook with a wrong signature, age or shape: answered 400, nothing stored. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
}

/** Ends the reason of a mail server's refusal that concerns the recipient. */
export const ADDRESS_REFUSED = '_recipient';

/** Whether the mail server says that an address gets no mail, now or later. */
export function isAddressRefused(error: unknown): error is ProviderError {
  return error instanceof ProviderError && !error.retryable && error.reason.endsWith(ADDRESS_REFUSED);
}

/** Reason of a call that was not made because the circuit is open. */
export const CIRCUIT_OPEN = 'circuit_open';
/** How long a circuit stays open before one trial call. */
export const CIRCUIT_OPEN_MS = 10_000;

/** How long any single request to a provider may take. */
export const PROVIDER_TIMEOUT_MS = 5_000;

/** Checks the shape of a provider's reply. Throws `ProviderError`, ambiguous because the call itself succeeded. */
export function readReply<S extends z.ZodType>(provider: string, schema: S, reply: unknown): z.output<S> {
  const parsed = schema.safeParse(reply);
  if (parsed.success) return parsed.data;
  throw new ProviderError(provider, 'invalid_response', { retryable: true, ambiguous: true }, parsed.error);
}
