import { PROVIDER_TIMEOUT_MS, ProviderError } from './call.ts';

/** One HTTP call to an outside system, in time and with its failures sorted. Answers status and parsed JSON (null when it is none). */
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
    throw new ProviderError(provider, 'no_answer', { retryable: true, ambiguous: true }, cause);
  }
  let body: unknown = null;
  try {
    body = text === '' ? null : JSON.parse(text);
  } catch (cause) {
    if (response.ok) throw new ProviderError(provider, 'garbled_answer', { retryable: true, ambiguous: true }, cause);
  }
  return { status: response.status, body };
}

/** What an unhappy status means: 408, 425, 429 and 5xx may have had their effect. */
export function refusedBy(provider: string, status: number, reason: string): ProviderError {
  const unsure = status === 408 || status === 425 || status === 429 || status >= 500;
  return new ProviderError(provider, reason, { retryable: unsure, ambiguous: unsure });
}
