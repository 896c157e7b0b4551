import Stripe from 'stripe';
import { PROVIDER_TIMEOUT_MS, ProviderError } from '../call.ts';

/** Creates a client of Stripe's API. `apiUrl`: null for Stripe's own URL. `viaFetch`: makes its requests instead of Node's HTTP client. */
export function createStripeClient(secretKey: string, apiUrl: string | null, viaFetch?: typeof fetch): Stripe {
  const at = apiUrl === null ? {} : getAddress(new URL(apiUrl));
  // The callers retry, because they repeat the key and handle ambiguous failures.
  return new Stripe(secretKey, {
    ...at,
    maxNetworkRetries: 0,
    timeout: PROVIDER_TIMEOUT_MS,
    telemetry: false,
    httpClient: createHttpClient(viaFetch),
  });
}

/**
 * Creates the SDK's own HTTP client, but refuses replies that are not JSON objects. The SDK writes a property on each reply. With a number
 * or a text that fails outside of the promise that the SDK returned, which then never settles.
 */
function createHttpClient(viaFetch?: typeof fetch): Stripe.HttpClient {
  const client: Stripe.HttpClient = viaFetch ? Stripe.createFetchHttpClient(viaFetch) : Stripe.createNodeHttpClient();
  const makeRequest = client.makeRequest.bind(client);
  client.makeRequest = async (...request) => {
    const response = await makeRequest(...request);
    const toJSON = response.toJSON.bind(response);
    response.toJSON = async () => requireObject(await toJSON());
    return response;
  };
  return client;
}

function requireObject(reply: unknown): object {
  if (reply !== null && typeof reply === 'object' && !Array.isArray(reply)) return reply;
  throw new SyntaxError('a reply that is not an object');
}

function getAddress(url: URL): { host: string; port: string; protocol: 'http' | 'https' } {
  const protocol = url.protocol === 'http:' ? 'http' : 'https';
  return { host: url.hostname, port: url.port || (protocol === 'http' ? '80' : '443'), protocol };
}

/** Runs a call and turns the SDK's errors into `ProviderError`. */
export async function withProviderErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw providerError(error);
  }
}

function providerError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof Stripe.errors.StripeConnectionError)
    return new ProviderError('stripe', 'no_response', { retryable: true, ambiguous: true }, error);
  if (error instanceof Stripe.errors.StripeError) {
    const status = error.statusCode ?? 0;
    const retryable = status === 409 || status === 429 || status >= 500 || status === 0;
    // 409 means that the first call with this key is still running.
    return new ProviderError(
      'stripe',
      error.code ?? error.type ?? `http_${status}`,
      {
        retryable,
        ambiguous: status === 409 || status >= 500 || status === 0,
        outage: retryable && status !== 409,
        detail: error.message,
      },
      error,
    );
  }
  return new ProviderError('stripe', 'no_response', { retryable: true, ambiguous: true }, error);
}

/** Narrows a text to one of the listed values. Throws `ProviderError` for a new value instead of guessing. */
export function parseChoice<const T extends string>(choices: readonly T[], word: string): T {
  const found = choices.find((choice) => choice === word);
  if (found === undefined) throw new ProviderError('stripe', 'unknown_status', { retryable: true });
  return found;
}
