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
  /** Whether the answer and the refusal are compared with the contract. */
  readonly checked: boolean;
};

type Method = 'GET' | 'POST';

/** What the router checks before it reads a body. `Call` in contracts/core/define-call.ts describes the fields. */
export type AccessRules = {
  readonly methods: readonly Method[];
  readonly limit: Limit | Readonly<Record<Method, Limit>> | null;
  readonly bodyMax?: number;
} & (
  | { readonly callers: 'everyone' | 'signed-in' | 'developers' | 'provider' | 'link' }
  | { readonly callers: 'staff'; readonly permission: Permission }
);

/** A server function; `name` is the last segment of its URL. The router authorises the call and takes the limit before it reads the body. */
export type ServerFunction = AccessRules & {
  readonly name: string;
  /** Replaces the common shape of refusals. */
  readonly refuse?: (refusal: Refusal) => Response;
  handle(call: FunctionCall): Promise<Response>;
};
