import type { Context } from 'hono';
import { z } from 'zod';
import { checkJson, JsonRefused, parseJson } from '#server/http/bodies/json.ts';
import type { Env } from '#server/http/caller.ts';
import { AuthRefusal, refuse } from './errors.ts';
import type { AuthContext } from './context.ts';

/** One call of the API. A handler takes its dependencies and the call, and returns a response or throws `AuthRefusal`. */
export type Call = Context<Env>;

/** The source of a request, for sessions, limits and the audit log. */
export type RequestInfo = {
  readonly ip: string;
  readonly userAgent: string | null;
  /** `redirect_to` of the request: the page to which mailed links should lead. */
  readonly redirectTo?: string | undefined;
};

/** The signed-in user who sends a request, and the session of the request. */
export type SignedInUser = { readonly userId: string; readonly sessionId: string };

export function readRequestInfo(c: Call): RequestInfo {
  return { ip: c.var.ip, userAgent: c.req.header('user-agent') ?? null, redirectTo: c.req.query('redirect_to') };
}

const DEPTH_MAX = 32;
const JSON_LIMITS = { members: 1_000, depth: DEPTH_MAX };

const readBytes = async (c: Call): Promise<Buffer> => Buffer.from(await c.req.arrayBuffer());

/** Throws the API's 400 for a JSON body that would be expensive to parse. */
export async function checkBody(c: Call): Promise<void> {
  try {
    checkJson(await readBytes(c), JSON_LIMITS);
  } catch (error) {
    throw jsonRefusal(error);
  }
}

/** Parses the JSON body. Throws the API's 400. */
export async function parseBody(c: Call): Promise<unknown> {
  try {
    return parseJson(await readBytes(c), JSON_LIMITS);
  } catch (error) {
    throw jsonRefusal(error);
  }
}

const jsonRefusal = (error: unknown): AuthRefusal =>
  error instanceof JsonRefused
    ? refuse.validation(error.message)
    : new AuthRefusal(400, 'bad_json', 'Could not parse request body as JSON');

/** Reads the JSON body by its schema. Throws the API's 400 if it is not JSON or does not match. */
export async function readBody<S extends z.ZodType>(c: Call, schema: S): Promise<z.output<S>> {
  const body = await parseBody(c);
  if (cannotBeStored(body, 0)) throw refuse.validation('The request contains values that cannot be stored');
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw refuse.validation(`${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'not valid'}`);
}

/** Whether PostgreSQL cannot store a value, because it contains NUL or a lone surrogate or is nested deeper than 32 levels. */
function cannotBeStored(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.includes('\u0000') || !value.isWellFormed();
  if (value === null || typeof value !== 'object') return false;
  if (depth > DEPTH_MAX) return true;
  return Object.entries(value).some(([name, inner]) => cannotBeStored(name, depth) || cannotBeStored(inner, depth + 1));
}

/** Reads the signed-in user. Refuses guests and the service key. */
export async function requireUser({ readCaller }: AuthContext, c: Call): Promise<SignedInUser> {
  const caller = await readCaller(c.req.raw, c.var.ip);
  if (caller.role !== 'authenticated' || !caller.userId || !caller.sessionId) throw refuse.noBearer();
  return { userId: caller.userId, sessionId: caller.sessionId };
}

/** Roles that may administer accounts, as in Supabase Auth. */
const ADMIN_ROLES: ReadonlySet<string> = new Set(['service_role', 'supabase_admin']);

/** Admits the service key and tokens with an administrator's role. Refuses all other callers. */
export async function requireServiceRole({ readCaller }: AuthContext, c: Call): Promise<void> {
  const caller = await readCaller(c.req.raw, c.var.ip);
  if (!ADMIN_ROLES.has(caller.role)) throw refuse.notAdmin();
}

/** Reads a UUID from the path. Returns null for any other text. */
export function readUuid(text: string | undefined): string | null {
  return z.uuid().safeParse(text).data ?? null;
}
