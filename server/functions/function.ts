import type { Permission } from '#rules/permissions.ts';
import type { Caller, Log } from '#server/http/caller.ts';
import type { Limit } from '#server/http/limits.ts';
import type { Refusal } from '#server/operations/core/refusal.ts';

/** One call of a function, as the router passes it on. */
type FunctionCall = {
  readonly request: Request;
  readonly url: URL;
  readonly caller: Caller;
  /** The parsed JSON body, `{}` for an empty one; the raw text for a provider's call. */
  readonly body: unknown;
  readonly log: Log;
};

type Method = 'GET' | 'POST';

/**
 * A server function; its file name is the last segment of its URL. The router authorises the call and takes the limit before it reads
 * the body, so both are declared here and not checked inside `handle`.
 */
export type ServerFunction = {
  readonly methods: readonly Method[];
  /** Counted for each account, or for each IP address with `everyone` and `link`. null: no limit, for providers that repeat refused calls. */
  readonly limit: Limit | Readonly<Record<Method, Limit>> | null;
  /** Largest body in bytes; 64 KiB by default. Few bodies above 1 MiB are read at the same time. */
  readonly bodyMax?: number;
  /** Replaces the common shape of refusals. */
  readonly refuse?: (refusal: Refusal) => Response;
  handle(call: FunctionCall): Promise<Response>;
} & (
  | {
      /**
       * `everyone`: any valid key or token; the function itself decides what each caller sees. `signed-in`: an account. `developers`: see
       * `requireDeveloper`. `provider`: no token, because the body is signed; it arrives as text. `link`: no token of an account, because
       * the address has a secret.
       */
      readonly callers: 'everyone' | 'signed-in' | 'developers' | 'provider' | 'link';
    }
  | { readonly callers: 'staff'; readonly permission: Permission }
);
