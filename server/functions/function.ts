import type { Caller, Log } from '#server/http/caller.ts';

/** One call of the fifth door, after the front hall: who calls, with what. */
export type FunctionCall = {
  readonly request: Request;
  readonly url: URL;
  readonly caller: Caller;
  /** The parsed JSON body, `{}` for an empty one; for a raw function the body is unread. */
  readonly body: unknown;
  readonly log: Log;
};

/**
 * A server function. Its file name is the last segment of its address.
 * `raw`: the body is left unread (signed webhooks). `open`: no caller is needed (webhooks carry their own proof).
 */
export type ServerFunction = {
  readonly methods: readonly ('GET' | 'POST')[];
  readonly raw?: boolean;
  readonly open?: boolean;
  handle(call: FunctionCall): Promise<Response>;
};
