import type { z } from 'zod';
import type { Permission } from '#rules/permissions.ts';
import type { RefusalCode } from './refusals.ts';

/** At most `max` calls in `seconds`. Calls with the same `name` share a limit. The default `name` is the call's own. */
export type CallLimit = { readonly max: number; readonly seconds: number; readonly name?: string };

/** The answer to a call that is refused. `message` is for people; programs read the other fields. */
type RefusalExample = { readonly message: string } & Readonly<Record<string, unknown>>;

type Method = 'GET' | 'POST';

/** The type of a value that is only sent. It is read-only throughout, so that callers can pass read-only values. */
export type Sent<Value> = Value extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Sent<Value[Key]> }
    : Value;

/** One call of `/functions/v1`: everything that its callers and the server must agree on. */
export type Call<Body extends z.ZodType = z.ZodType, Answer extends z.ZodType = z.ZodType> = {
  /** The last segment of its URL. */
  readonly name: string;
  /** What the call does, in one or more sentences, for the reference page. */
  readonly summary: string;
  readonly methods: readonly Method[];
  /** Calls are counted per account, or per IP address for `everyone` and `link`. Null: no limit, because providers repeat refused calls. */
  readonly limit: CallLimit | Readonly<Record<Method, CallLimit>> | null;
  /** Largest body in bytes; 64 KiB by default. */
  readonly bodyMax?: number;
  /** The JSON body of a POST. The server parses it before it calls the handler. */
  readonly body: Body;
  /** The JSON answer as it is sent: it has no transforms, and instants are ISO 8601 texts. `z.never()` if the call always answers with a file. */
  readonly answer: Answer;
  /** Content types of answers that are files instead of JSON. */
  readonly files?: readonly string[];
  /**
   * The refusals of this call, with an example of each. `listRefusals` adds those implied by the call's access level. The server never
   * refuses the call with any other code.
   */
  readonly refusals: { readonly [Code in RefusalCode]?: RefusalExample };
  /** A valid body and its answer, for the reference page and for tests. `answer` is absent if the call answers with a file. */
  readonly example: { readonly body: z.input<Body>; readonly answer?: z.input<Answer> };
} & (
  | {
      /**
       * `everyone`: any valid key or token; the handler decides what each caller sees. `signed-in`: an account. `developers`: staff with
       * the permission `settings`, while the developer pages are on. `provider`: no token, because the body is signed; it arrives as text.
       * `link`: no account token, because the URL contains a secret.
       */
      readonly callers: 'everyone' | 'signed-in' | 'developers' | 'provider' | 'link';
    }
  | { readonly callers: 'staff'; readonly permission: Permission }
);

/** Describes a call. Returns it with literal types for its name, its callers and the codes of its refusals. */
export function defineCall<Body extends z.ZodType, Answer extends z.ZodType, const Fields>(
  call: Fields & Call<Body, Answer> & { readonly body: Body; readonly answer: Answer },
): Fields & { readonly body: Body; readonly answer: Answer } {
  return call;
}
