import type { Context } from 'hono';
import { z } from 'zod';
import type { Caller, Env, ReadCaller } from '#server/http/caller.ts';
import { AuthRefusal, refuse } from './errors.ts';

/** One operation of the door: reads its request, answers or throws `AuthRefusal`. */
export type Operation = (c: Context<Env>) => Promise<Response>;

/** Where a request came from, for sessions, limits and the event log. */
export type From = {
  readonly ip: string;
  readonly userAgent: string | null;
  /** Where mailed links should lead, as the request asks. */
  readonly redirectTo?: string | undefined;
};

/** A person signed in, with the session the request was made in. */
export type Person = { readonly userId: string; readonly sessionId: string };

const email = z.string().trim().toLowerCase().max(255).pipe(z.email());

/** An email address as accounts are found by it: trimmed, lower case. */
export function readAddress(text: string): string {
  const parsed = email.safeParse(text);
  if (!parsed.success) throw refuse.email();
  return parsed.data;
}

/** A phone as accounts are found by it: the digits of E.164 without the plus, as hosted Supabase stores them. */
export function readPhone(text: string): string {
  const digits = text.replaceAll(/[\s().-]/g, '').replace(/^\+/, '');
  if (!/^[1-9]\d{6,14}$/.test(digits)) throw refuse.phone();
  return digits;
}

/** Where a code goes: to a mail address or to a phone. */
export type Way = { readonly email: string } | { readonly phone: string };

export function readFrom(c: Context<Env>): From {
  return { ip: c.var.ip, userAgent: c.req.header('user-agent') ?? null, redirectTo: c.req.query('redirect_to') };
}

/** The JSON body by its schema; 400 in the protocol's words when it is none or does not fit. */
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

const DEEPEST = 32;

/** PostgreSQL keeps no U+0000, a lone surrogate is no text in UTF-8, and nobody nests this deep in good faith: better refused here than failing there. */
function cannotBeStored(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.includes('\u0000') || !value.isWellFormed();
  if (value === null || typeof value !== 'object') return false;
  if (depth > DEEPEST) return true;
  return Object.entries(value).some(([name, inner]) => cannotBeStored(name, depth) || cannotBeStored(inner, depth + 1));
}

/** Who is signed in; guests and the service key are refused. */
export async function readPerson(c: Context<Env>, readCaller: ReadCaller): Promise<Person> {
  const caller: Caller = await readCaller(c.req.raw, c.var.ip);
  if (caller.role !== 'authenticated' || !caller.userId || !caller.sessionId) throw refuse.noBearer();
  return { userId: caller.userId, sessionId: caller.sessionId };
}

/** Roles of a token that may administer accounts, as GoTrue has them. */
const ADMIN_ROLES: ReadonlySet<string> = new Set(['service_role', 'supabase_admin']);

/** Admits the service key, and a token of a signing key with an administrator's role; refuses everybody else. */
export async function readService(c: Context<Env>, readCaller: ReadCaller): Promise<void> {
  const caller: Caller = await readCaller(c.req.raw, c.var.ip);
  if (!ADMIN_ROLES.has(caller.role)) throw new AuthRefusal(403, 'not_admin', 'User not allowed');
}
