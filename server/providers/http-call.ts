import { z } from 'zod';
import { PROVIDER_TIMEOUT_MS, ProviderError } from './call.ts';

/** Calls an outside system over HTTP with a timeout. Returns status and parsed JSON (null if there is none). Throws `ProviderError`. */
export async function callHttp(
  provider: string,
  url: string,
  init: { method: string; headers?: Record<string, string>; body?: string; timeoutMs?: number },
): Promise<{ status: number; body: unknown }> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method: init.method,
      ...(init.headers === undefined ? {} : { headers: init.headers }),
      ...(init.body === undefined ? {} : { body: init.body }),
      signal: AbortSignal.timeout(init.timeoutMs ?? PROVIDER_TIMEOUT_MS),
      redirect: 'error',
    });
    text = await response.text();
  } catch (cause) {
    throw new ProviderError(provider, 'no_response', { retryable: true, ambiguous: true }, cause);
  }
  let body: unknown = null;
  try {
    body = text === '' ? null : JSON.parse(text);
  } catch (cause) {
    if (response.ok) throw new ProviderError(provider, 'invalid_response', { retryable: true, ambiguous: true }, cause);
  }
  return { status: response.status, body };
}

/** Builds the error for a failed status, with the message in its `body`. After 408, 425, 429 and 5xx the effect may have happened. */
export function refusedBy(provider: string, status: number, reason: string, body: unknown = null): ProviderError {
  const retryable = status === 408 || status === 425 || status === 429 || status >= 500;
  return new ProviderError(provider, reason, { retryable, ambiguous: retryable, detail: readDetail(body) });
}

const textSchema = z.string().min(1);
const detailSchema = z.union([
  z.looseObject({ error: z.looseObject({ message: textSchema }) }).transform(({ error }) => error.message),
  z.looseObject({ message: textSchema }).transform(({ message }) => message),
  z.looseObject({ error_description: textSchema }).transform((body) => body.error_description),
  z.looseObject({ error: textSchema }).transform(({ error }) => error),
]);

/** Returns the message of an error in the usual places of a JSON body, or null if there is none. */
const readDetail = (body: unknown): string | null => detailSchema.safeParse(body).data ?? null;
