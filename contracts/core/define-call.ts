import type { z } from 'zod';
import type { Permission } from '#rules/permissions.ts';
import type { RefusalCode } from './refusals.ts';

/** At most `max` calls in `seconds`. Calls with the same `name` share a limit; it is the call's own name unless given. */
export type CallLimit = { readonly max: number; readonly seconds: number; readonly name?: string };

/** An answer of a call that is refused. `message` is for people; further fields are read by programs. */
type RefusalExample = { readonly message: string } & Readonly<Record<string, unknown>>;

type Method = 'GET' | 'POST';

/** A value that is only sent, so that none of it need be mutable. */
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
  /** Counted for each account, or for each IP address with `everyone` and `link`. null: no limit, for providers that repeat refused calls. */
  readonly limit: CallLimit | Readonly<Record<Method, CallLimit>> | null;
  /** Largest body in bytes; 64 KiB by default. */
  readonly bodyMax?: number;
  /** The JSON body of a POST. The server parses it before it calls the handler. */
  readonly body: Body;
  /**
   * The JSON answer, as it is sent: no transforms, instants as ISO 8601 texts. `z.never()` if the call always answers
   * with a file.
   */
  readonly answer: Answer;
  /** Content types of answers that are files instead of JSON. */
  readonly files?: readonly string[];
  /**
   * The refusals of this call, with an example of each. `listRefusals` adds those that follow from who may call. The server refuses the call
   * with no other code.
   */
  readonly refusals: { readonly [Code in RefusalCode]?: RefusalExample };
  /** A valid body and its answer, unless that is a file, for the reference page and for tests. */
  readonly example: { readonly body: z.input<Body>; readonly answer?: z.input<Answer> };
} & (
  | {
      /**
       * `everyone`: any valid key or token; the handler itself decides what each caller sees. `signed-in`: an account. `developers`: staff with
       * the permission `settings`, where the developer pages are on. `provider`: no token, because the body is signed; it arrives as text.
       * `link`: no token of an account, because the address has a secret.
       */
      readonly callers: 'everyone' | 'signed-in' | 'developers' | 'provider' | 'link';
    }
  | { readonly callers: 'staff'; readonly permission: Permission }
);

/** Describes a call. Returns it with its own types: the name, the callers and the codes of its refusals are literals. */
export function defineCall<Body extends z.ZodType, Answer extends z.ZodType, const Fields>(
  call: Fields & Call<Body, Answer> & { readonly body: Body; readonly answer: Answer },
): Fields & { readonly body: Body; readonly answer: Answer } {
  return call;
}
