import type { Context } from 'hono';
import { z } from 'zod';
import type { Caller, Env, ReadCaller } from '#server/http/caller.ts';
import { AuthRefusal, refuse } from './errors.ts';

/** Answers one call, or throws `AuthRefusal`. */
export type Handler = (c: Context<Env>) => Promise<Response>;

/** Where a request came request, for sessions, limits and the audit log. */
export type RequestInfo = {
  readonly ip: string;
  readonly userAgent: string | null;
  /** `redirect_to` of the request: where mailed links should lead. */
  readonly redirectTo?: string | undefined;
};

/** A signed-in user, and the session of the request. */
export type Person = { readonly userId: string; readonly sessionId: string };

const email = z.string().trim().toLowerCase().max(255).pipe(z.email());

/** Reads an email address in the stored form: trimmed, lower case. */
export function readAddress(text: string): string {
  const parsed = email.safeParse(text);
  if (!parsed.success) throw refuse.email();
  return parsed.data;
}

/** Reads a phone number in the stored form, as on hosted Supabase: the digits of E.164 without the plus. */
export function readPhone(text: string): string {
  const digits = text.replaceAll(/[\s().-]/g, '').replace(/^\+/, '');
  if (!/^[1-9]\d{6,14}$/.test(digits)) throw refuse.phone();
  return digits;
}

/** Identifies an account, or receives a code: an email address or a phone number. */
export type Contact = { readonly email: string } | { readonly phone: string };

export function readRequestInfo(c: Context<Env>): RequestInfo {
  return { ip: c.var.ip, userAgent: c.req.header('user-agent') ?? null, redirectTo: c.req.query('redirect_to') };
}

/** Reads the JSON body by its schema. Throws the API's 400 when it is not JSON or does not match. */
export async function readBody<S extends z.ZodType>(c: Context<Env>, schema: S): Promise<z.output<S>> {
  let body: unknown;
  try {
    body = JSON.parse(await c.req.text());
  } catch {
    throw new AuthRefusal(400, 'bad_json', 'Could not parse request body as JSON');
  }
  if (cannotBeStored(body, 0)) throw refuse.validation('The request holds what cannot be stored');
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw refuse.validation(`${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'not valid'}`);
}

const DEPTH_MAX = 32;

/** Whether PostgreSQL could not store a value: it contains NUL or a lone surrogate, or is nested deeper than 32. */
function cannotBeStored(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.includes('\u0000') || !value.isWellFormed();
  if (value === null || typeof value !== 'object') return false;
  if (depth > DEPTH_MAX) return true;
  return Object.entries(value).some(([name, inner]) => cannotBeStored(name, depth) || cannotBeStored(inner, depth + 1));
}

/** Reads the signed-in user. Refuses guests and the service key. */
export async function readPerson(c: Context<Env>, readCaller: ReadCaller): Promise<Person> {
  const caller: Caller = await readCaller(c.req.raw, c.var.ip);
  if (caller.role !== 'authenticated' || !caller.userId || !caller.sessionId) throw refuse.noBearer();
  return { userId: caller.userId, sessionId: caller.sessionId };
}

/** Roles that may administer accounts, as in GoTrue. */
const ADMIN_ROLES: ReadonlySet<string> = new Set(['service_role', 'supabase_admin']);

/** Admits the service key and tokens with an administrator's role. Refuses everybody else. */
export async function requireServiceRole(c: Context<Env>, readCaller: ReadCaller): Promise<void> {
  const caller: Caller = await readCaller(c.req.raw, c.var.ip);
  if (!ADMIN_ROLES.has(caller.role)) throw new AuthRefusal(403, 'not_admin', 'User not allowed');
}
