import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import type { TokenKind } from '../codes/one-time-tokens.ts';
import { createRedirectCheck } from '../external/redirects.ts';
import { type Handler, readAddress, readBody, requireServiceRole } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { checkMetadata, toUser, type UserRow, userByEmail } from '../accounts/users.ts';
import { changeNeedsBoth } from '../verify/apply-change.ts';
import { makeInvited } from './invite.ts';

const schema = z.object({
  type: z.string().nullish(),
  email: z.string().nullish(),
  password: z.string().max(1_024).nullish(),
  data: z.record(z.string(), z.unknown()).nullish(),
  new_email: z.string().nullish(),
  // supabase-js sends `redirectTo` beside the query parameter, other clients send `redirect_to`.
  redirect_to: z.string().nullish(),
  redirectTo: z.string().nullish(),
});
type Form = { email: string; password: string; data: Record<string, unknown> | null; newEmail: string };
/** The account of a link, and the kind and recipient of its code. */
type Made = { user: UserRow; kind: TokenKind; type: string; email: string; attemptId?: string };

/** `POST /admin/generate_link`: a code and a link for a mail that the caller sends itself. */
export function createGenerateLink(context: AuthContext): Handler {
  const { codes, checkPassword, clock, config, db, readCaller, tokens } = context;
  const allowed = createRedirectCheck(config.siteUrl, config.redirects);

  async function signUp(tx: Transaction, { email, data }: Form, hash: string | null): Promise<Made> {
    const now = clock();
    const user = await makeInvited(tx, { email, data, at: now });
    await tx.query('update auth.users set invited_at = null where id = $1::uuid', [user.id]);
    const attemptId = randomUUID();
    await tx.query(
      `insert into auth.signup_attempts (id, user_id, encrypted_password, data, ip, created_at) values ($1::uuid, $2::uuid, $3, $4::jsonb, 'service', $5::timestamptz)`,
      [attemptId, user.id, hash, data ?? user.raw_user_meta_data, now],
    );
    return { user: { ...user, invited_at: null }, kind: 'signup', type: 'signup', email, attemptId };
  }

  async function existing(tx: Transaction, email: string): Promise<UserRow> {
    const user = await userByEmail(tx, email);
    if (!user) throw new AuthRefusal(404, 'user_not_found', 'User with this email not found');
    return user;
  }

  async function change(tx: Transaction, form: Form, kind: 'email_change' | 'email_change_current'): Promise<Made> {
    const user = await existing(tx, form.email);
    if (kind === 'email_change_current' && !config.doubleConfirm)
      throw refuse.validation('Enable secure email change to generate link for current email');
    const newEmail = readRequiredAddress(form.newEmail);
    if (await userByEmail(tx, newEmail))
      throw new AuthRefusal(422, 'email_exists', 'A user with this email address has already been registered');
    const fresh = user.email_change !== newEmail;
    await tx.query(
      `update auth.users set email_change = $2, email_change_sent_at = $3::timestamptz,
         email_change_confirm_status = case when $4::boolean then $5::int else email_change_confirm_status end where id = $1::uuid`,
      [user.id, newEmail, clock(), fresh, config.doubleConfirm ? changeNeedsBoth : 0],
    );
    const email = kind === 'email_change' ? newEmail : form.email;
    return {
      user: { ...user, email_change: newEmail, email_change_sent_at: clock() },
      kind,
      type: 'email_change',
      email,
    };
  }

  /** Hashes the password of a new account; existing accounts keep theirs. Runs before the transaction, because hashing is slow. */
  async function hashOf(type: string, { email, password }: Form): Promise<string | null> {
    if (type !== 'signup') return null;
    const found = await userByEmail(db, email);
    if (found?.email_confirmed_at || (found && password === '')) return null;
    if (password === '') throw refuse.validation('Signup requires a valid password');
    checkPassword(password);
    return hashPassword(password);
  }

  async function make(tx: Transaction, type: string, form: Form, hash: string | null): Promise<Made> {
    const { email } = form;
    switch (type) {
      case 'signup':
        return signUp(tx, form, hash);
      case 'invite':
        return { user: await makeInvited(tx, { email, data: form.data, at: clock() }), kind: 'invite', type, email };
      case 'magiclink': {
        const user = await userByEmail(tx, email);
        if (user?.email_confirmed_at) return { user, kind: 'magiclink', type, email };
        // As upstream: a magic link for a new address confirms a new account.
        return signUp(tx, form, null);
      }
      case 'recovery':
        return { user: await existing(tx, email), kind: 'recovery', type, email };
      case 'email_change_new':
        return change(tx, form, 'email_change');
      case 'email_change_current':
        return change(tx, form, 'email_change_current');
      default:
        throw refuse.validation(`Invalid email action link type requested: ${type}`);
    }
  }

  return async (c) => {
    await requireServiceRole(c, readCaller);
    const body = await readBody(c, schema);
    const form: Form = {
      email: readRequiredAddress(body.email ?? ''),
      password: body.password ?? '',
      data: body.data ?? null,
      newEmail: body.new_email ?? '',
    };
    checkMetadata(body.data ?? {});
    const type = body.type ?? '';
    const requested = [body.redirect_to, body.redirectTo, c.req.query('redirect_to')];
    const redirectTo = requested.map((one) => allowed(one)).find((one) => one !== null) ?? config.siteUrl;
    const hash = await hashOf(type, form);
    const messageId = randomUUID();
    const made = await db.transaction(async (tx) => {
      const one = await make(tx, type, form, hash);
      const { user, kind, email, attemptId } = one;
      await tokens.enable(tx, {
        messageId,
        userId: user.id,
        kind,
        email,
        attemptId: attemptId ?? null,
        createdAt: clock(),
      });
      await record(tx, {
        action: 'generate_link_requested',
        actorId: user.id,
        at: clock(),
        ip: c.var.ip,
        details: { kind },
      });
      return one;
    });
    const token = codes.tokenOf(messageId);
    const query = new URLSearchParams({ token, type: made.type, redirect_to: redirectTo });
    return c.json({
      ...toUser(made.user),
      action_link: `${config.apiUrl}/auth/v1/verify?${query.toString()}`,
      email_otp: codes.codeOf(messageId),
      hashed_token: token,
      redirect_to: redirectTo,
      verification_type: type === 'magiclink' ? made.type : type,
    });
  };
}

function readRequiredAddress(email: string): string {
  if (email === '') throw refuse.validation('An email address is required');
  return readAddress(email);
}
