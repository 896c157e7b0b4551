import type { Permission } from '#rules/permissions.ts';
import type { BodyBudget } from '#server/http/bodies/bodies.ts';
import type { JsonBudget } from '#server/http/bodies/json-budget.ts';
import type { Caller, Log, ReadCaller } from '#server/http/caller.ts';
import type { Limit, TakeLimit } from '#server/http/limits.ts';
import type { Refusal } from '#server/operations/core/refusal.ts';
import type { CallServices } from '#server/operations/core/services.ts';

/** The dependencies of all handlers. */
export type FunctionServices = CallServices & {
  /** Returns whether the lock system signed the report. */
  readonly verifyLockWebhook: (request: Request, rawBody: string) => Promise<boolean>;
  /** Runs the jobs that are due and returns how many. */
  readonly drain: () => Promise<number>;
};

/** Determines how the requests of all functions are read and counted. */
export type FunctionRequests = {
  readonly readCaller: ReadCaller;
  readonly limits: TakeLimit;
  /** Whether answers and refusals are checked against the contracts of their calls, as they are outside production. */
  readonly checked: boolean;
  /** Memory for request bodies: up to 1 MiB is counted by IP address, larger bodies by account. `perMinute` limits the bytes per minute. */
  readonly bodies: { readonly small: BodyBudget; readonly large: BodyBudget; readonly perMinute: JsonBudget };
};

/** A call of a function, as passed on by the router. */
type FunctionCall = {
  readonly request: Request;
  readonly url: URL;
  readonly caller: Caller;
  /** The parsed JSON body; `{}` if it is empty. For a call by a provider, the raw text. */
  readonly body: unknown;
  readonly log: Log;
  /** Whether the answer and the refusal are checked against the contract. */
  readonly checked: boolean;
};

type Method = 'GET' | 'POST';

/** What the router checks before it reads a body. The fields are described at `Call` in contracts/core/define-call.ts. */
export type AccessRules = {
  readonly methods: readonly Method[];
  readonly limit: Limit | Readonly<Record<Method, Limit>> | null;
  readonly bodyMax?: number;
} & (
  | { readonly callers: 'everyone' | 'signed-in' | 'developers' | 'provider' | 'link' }
  | { readonly callers: 'staff'; readonly permission: Permission }
);

/**
 * A server function. `name` is the last segment of its URL. The router authorises the call and counts it against the limit before it reads
 * the body.
 */
export type ServerFunction = AccessRules & {
  readonly name: string;
  /** Replaces the standard shape of refusals. */
  readonly refuse?: (refusal: Refusal) => Response;
  handle(call: FunctionCall): Promise<Response>;
};
