import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { checkMetadata } from '../accounts/metadata.ts';
import { checkPassword } from '../accounts/password-rules.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { toUser } from '../accounts/user-object.ts';
import { userByEmail } from '../accounts/users.ts';
import { enableToken } from '../codes/enable-token.ts';
import { deriveCode, deriveLinkToken } from '../codes/one-time-codes.ts';
import { recordEvent } from '../core/audit-log.ts';
import { refuse } from '../core/errors.ts';
import { allowedRedirect } from '../core/redirects.ts';
import { type Call, readBody, requireServiceRole } from '../core/request.ts';
import { type LinkAccount, type LinkForm, prepareAccount, readRequiredEmail } from './link-account.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({
  type: z.string().nullish(),
  email: z.string().nullish(),
  password: z.string().max(1_024).nullish(),
  data: z.record(z.string(), z.unknown()).nullish(),
  new_email: z.string().nullish(),
  // supabase-js sends `redirectTo` in addition to the query parameter; other clients send `redirect_to`.
  redirect_to: z.string().nullish(),
  redirectTo: z.string().nullish(),
});
type Body = z.output<typeof schema>;

/** `POST /admin/generate_link`: a code and a link for a mail that the caller sends itself. */
export async function generateLink(context: AuthContext, c: Call): Promise<Response> {
  await requireServiceRole(context, c);
  const body = await readBody(c, schema);
  const form = readForm(body);
  const redirectTo = readRedirect(context, body, c.req.query('redirect_to'));
  const hash = await hashSignUpPassword(context, form, body.password ?? '');
  const messageId = randomUUID();
  const account = await context.db.transaction(async (tx) => {
    const prepared = await prepareAccount(context, tx, form, hash);
    await enableLink(context, tx, prepared, { messageId, ip: c.var.ip });
    return prepared;
  });
  const token = deriveLinkToken(context, messageId);
  const query = new URLSearchParams({ token, type: account.type, redirect_to: redirectTo });
  return c.json({
    ...toUser(account.user),
    action_link: `${context.config.apiUrl}/auth/v1/verify?${query.toString()}`,
    email_otp: deriveCode(context, messageId),
    hashed_token: token,
    redirect_to: redirectTo,
    verification_type: form.type === 'magiclink' ? account.type : form.type,
  });
}

function readForm(body: Body): LinkForm {
  const email = readRequiredEmail(body.email ?? '');
  checkMetadata(body.data ?? {});
  return { type: body.type ?? '', email, data: body.data ?? null, newEmail: body.new_email ?? '' };
}

/** Returns the first page in the request that redirects may lead to, else the site's own address. */
function readRedirect({ config }: AuthContext, body: Body, parameter: string | undefined): string {
  const requested = [body.redirect_to, body.redirectTo, parameter];
  return requested.map((page) => allowedRedirect(config, page)).find((page) => page !== null) ?? config.siteUrl;
}

/** Hashes the password of a new account; existing accounts keep theirs. Runs before the transaction, because hashing is slow. */
async function hashSignUpPassword(
  context: AuthContext,
  { type, email }: LinkForm,
  password: string,
): Promise<string | null> {
  if (type !== 'signup') return null;
  const found = await userByEmail(context.db, email);
  if (found?.email_confirmed_at || (found && password === '')) return null;
  if (password === '') throw refuse.validation('Signup requires a valid password');
  checkPassword(context, password);
  return hashPassword(password);
}

/** Activates the code of the link, and writes the audit log. */
async function enableLink(
  context: AuthContext,
  tx: Transaction,
  { user, kind, email, attemptId }: LinkAccount,
  { messageId, ip }: { messageId: string; ip: string },
): Promise<void> {
  const at = context.clock();
  await enableToken(context, tx, { messageId, userId: user.id, kind, email, attemptId, createdAt: at });
  await recordEvent(tx, { action: 'generate_link_requested', actorId: user.id, at, ip, details: { kind } });
}
