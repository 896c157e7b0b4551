import type { Caller, Log } from '#server/http/caller.ts';
import type { Limit } from '#server/http/limits.ts';
import type { Refusal } from '#server/operations/refusal.ts';

/** One call of a function, after the router: who calls, with what. */
export type FunctionCall = {
  readonly request: Request;
  readonly url: URL;
  readonly caller: Caller;
  /** The parsed JSON body, `{}` for an empty one; for a provider's call its text. */
  readonly body: unknown;
  readonly log: Log;
};

type Method = 'GET' | 'POST';

/**
 * A server function. Its file name is the last segment of its address. The router authorises and takes the limit before it reads the
 * body, so both are declared here and not checked inside `handle`.
 */
export type ServerFunction = {
  readonly methods: readonly Method[];
  /**
   * `everyone`: any valid key or token; the function says itself what it tells to whom. `signed-in`: a person. `staff` and `developers`:
   * as `People` decides. `provider`: no token, since the body carries a signature of its own; it arrives as text.
   */
  readonly callers: 'everyone' | 'signed-in' | 'staff' | 'developers' | 'provider';
  /** Taken per person, of `everyone` per address. null: not limited, for providers that send again what was refused. */
  readonly limit: Limit | Readonly<Record<Method, Limit>> | null;
  /** Largest body in bytes; 64 KiB when left out. Above 1 MiB few bodies are read at once. */
  readonly bodyMax?: number;
  /** Answers refusals in a shape of its own. */
  readonly refuse?: (refusal: Refusal) => Response;
  handle(call: FunctionCall): Promise<Response>;
};
