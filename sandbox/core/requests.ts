import type { ProviderName } from './provider.ts';

export type LoggedRequest = {
  /** The time of the request, in real time. */
  readonly at: string;
  readonly provider: ProviderName;
  readonly method: string;
  readonly path: string;
  /** Status of the response; 0 if the connection was closed without one. */
  readonly status: number;
  readonly body: string;
};

export type Requests = {
  log(entry: LoggedRequest): void;
  /** Returns the requests, newest first. A null `provider` means all providers. */
  list(provider: string | null): readonly LoggedRequest[];
  clear(): void;
};

const LOG_MAX = 2_000;
const BODY_MAX = 2_000;

export function createRequests(): Requests {
  const entries: LoggedRequest[] = [];
  return {
    log(entry) {
      entries.push({ ...entry, path: mask(entry.path), body: mask(entry.body) });
      if (entries.length > LOG_MAX) entries.shift();
    },
    list: (provider) => entries.filter((entry) => provider === null || entry.provider === provider).toReversed(),
    clear: () => void (entries.length = 0),
  };
}

/** Masks secrets: keys, door codes, card numbers, pictures. */
function mask(text: string): string {
  return text
    .replace(
      /("?(?:pin|client_secret|password|access_token|id_token|code_verifier|SAMLResponse|card|cvc)"?\s*[:=]\s*"?)[^"&,}\s]+/gi,
      '$1***',
    )
    .replace(/data:image\/[^"]+/g, 'data:image/***')
    .replace(/("data"\s*:\s*")[^"]+/g, '$1***')
    .slice(0, BODY_MAX);
}
