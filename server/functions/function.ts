import type { Permission } from '#rules/permissions.ts';
import type { BodyBudget } from '#server/http/bodies/bodies.ts';
import type { JsonBudget } from '#server/http/bodies/json-budget.ts';
import type { Caller, Log, ReadCaller } from '#server/http/caller.ts';
import type { Limit, TakeLimit } from '#server/http/limits.ts';
import type { Refusal } from '#server/operations/core/refusal.ts';
import type { CallServices } from '#server/operations/core/services.ts';

/** What all handlers work with. */
export type FunctionServices = CallServices & {
  /** Whether the lock system has signed its report. */
  readonly verifyLockWebhook: (request: Request, rawBody: string) => Promise<boolean>;
  /** Runs the jobs that are due; returns how many. */
  readonly drain: () => Promise<number>;
};

/** How the requests of all functions are read and counted. */
export type FunctionRequests = {
  readonly readCaller: ReadCaller;
  readonly limits: TakeLimit;
  /** Whether answers and refusals are compared with the contracts of their calls; outside production. */
  readonly checked: boolean;
  /** Memory for bodies: up to 1 MiB counted by IP address, larger ones by account; and bytes per minute. */
  readonly bodies: { readonly small: BodyBudget; readonly large: BodyBudget; readonly perMinute: JsonBudget };
};

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
