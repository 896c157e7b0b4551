import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { type Caller, type Env, type ReadCaller, TokenRefused } from '#server/http/caller.ts';
import type { Keys } from '#server/http/keys.ts';
import type { TakeLimit } from '#server/http/limits.ts';
import type { Accounts, From } from './accounts.ts';
import { type AuthConfig, authLimits } from './auth-config.ts';
import { AuthRefusal, refuse } from './errors.ts';
import type { Sessions } from './sessions.ts';

const email = z.string().trim().toLowerCase().max(255).pipe(z.email());
const data = z.record(z.string(), z.unknown()).nullish();

/** `/auth/v1` as the real client speaks it (wire.md 2). Every answer is JSON, every no `{code, message}`. */
export function createAuthDoor(parts: {
  accounts: Accounts;
  sessions: Sessions;
  readCaller: ReadCaller;
  keys: Keys;
  limits: TakeLimit;
  config: AuthConfig;
}): Hono<Env> {
  const { accounts, sessions, readCaller, keys, limits, config } = parts;
  const door = new Hono<Env>();

  door.use(async (c, next) => {
    await next();
    c.res.headers.set('x-supabase-api-version', '2024-01-01');
    c.res.headers.set('cache-control', 'no-store');
  });

  door.post('/signup', async (c) => {
    const body = await read(
      c,
      z.object({ email: z.string().nullish(), phone: z.string().nullish(), password: z.string().nullish(), data }),
    );
    if (!body.email && !body.phone && !body.password)
      throw refuse.disabled(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled');
    if (!body.email) throw refuse.disabled(400, 'phone_provider_disabled', 'Phone signups are disabled');
    if (!body.password) throw refuse.validation('Signup requires a valid password');
    return c.json(
      await accounts.signUp({ email: address(body.email), password: body.password, data: body.data ?? {} }, from(c)),
    );
  });

  door.post('/token', async (c) => {
    const grant = c.req.query('grant_type');
    if (grant === 'password') {
      const body = await read(
        c,
        z.object({ email: z.string().nullish(), phone: z.string().nullish(), password: z.string().max(1_024) }),
      );
      if (!body.email) throw refuse.disabled(400, 'phone_provider_disabled', 'Phone logins are disabled');
      return c.json(await accounts.signIn({ email: address(body.email), password: body.password }, from(c)));
    }
    if (grant === 'refresh_token') {
      const body = await read(c, z.object({ refresh_token: z.string().max(200) }));
      const wait = await limits(authLimits.refreshIp, `ip:${c.var.ip}`);
      if (wait !== null) throw refuse.rate(wait);
      return c.json(await sessions.refresh(body.refresh_token));
    }
    if (grant === 'web3') throw refuse.disabled(422, 'web3_provider_disabled', 'Web3 provider is disabled');
    if (grant === 'id_token') throw refuse.disabled(400, 'provider_disabled', 'Provider is not enabled');
    if (grant === 'pkce')
      throw refuse.disabled(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found');
    throw refuse.disabled(400, 'unsupported_grant_type', 'unsupported_grant_type');
  });

  door.post('/verify', async (c) => {
    const body = await read(
      c,
      z.object({
        email: z.string().nullish(),
        phone: z.string().nullish(),
        token: z.string().max(64).nullish(),
        token_hash: z.string().max(200).nullish(),
        type: z.string().max(32),
      }),
    );
    if (body.phone) throw refuse.disabled(400, 'validation_failed', 'Invalid phone number format (E.164 required)');
    if (!body.token_hash && !(body.email && body.token))
      throw refuse.validation('Verify requires a token or a token hash');
    const answer = await accounts.verify(
      {
        email: body.email ? address(body.email) : null,
        code: body.token ?? null,
        tokenHash: body.token_hash ?? null,
        type: body.type,
      },
      from(c),
    );
    return c.json(answer);
  });

  // Mail scanners follow links: this one only shows the page with the button (decisions T-14).
  door.get('/verify', (c) => {
    const type = c.req.query('type') === 'recovery' ? 'recovery' : 'signup';
    const token = encodeURIComponent(c.req.query('token_hash') ?? c.req.query('token') ?? '');
    const page = type === 'recovery' ? '/auth?reset=true&' : '/email-verified?';
    return c.redirect(`${config.siteUrl}${page}token_hash=${token}&type=${type}`, 303);
  });

  door.post('/resend', async (c) => {
    const body = await read(
      c,
      z.object({ email: z.string().nullish(), phone: z.string().nullish(), type: z.string().max(32) }),
    );
    if (!body.email) throw refuse.validation('Type provided requires an email address');
    return c.json(await accounts.resend({ email: address(body.email), type: body.type }, from(c)));
  });

  door.post('/recover', async (c) => {
    const body = await read(c, z.object({ email: z.string(), dry_run: z.boolean().optional() }));
    return c.json(await accounts.recover({ email: address(body.email), dryRun: body.dry_run === true }, from(c)));
  });

  door.get('/user', async (c) => c.json(await accounts.user((await person(c)).userId)));
  door.put('/user', async (c) => {
    const who = await person(c);
    const body = await read(
      c,
      z.object({
        email: z.string().nullish(),
        phone: z.string().nullish(),
        password: z.string().max(1_024).nullish(),
        current_password: z.string().max(1_024).nullish(),
        data,
      }),
    );
    return c.json(
      await accounts.update(
        who,
        {
          email: body.email ? address(body.email) : null,
          password: body.password ?? null,
          currentPassword: body.current_password ?? null,
          data: body.data ?? null,
        },
        from(c),
      ),
    );
  });

  door.post('/logout', async (c) => {
    const who = await person(c);
    const scope = c.req.query('scope') ?? 'global';
    if (scope !== 'global' && scope !== 'local' && scope !== 'others')
      throw refuse.validation(`Unsupported logout scope "${scope.slice(0, 20)}"`);
    await sessions.end(who.userId, who.sessionId, scope);
    return c.body(null, 204);
  });

  door.get('/.well-known/jwks.json', (c) => c.json(keys.jwks()));
  door.get('/health', (c) => c.json({ name: 'auth', description: 'accounts' }));
  door.get('/settings', (c) =>
    c.json({
      external: { email: true, phone: false, anonymous_users: false },
      disable_signup: false,
      mailer_autoconfirm: config.autoconfirm,
      phone_autoconfirm: false,
      sms_provider: '',
      saml_enabled: false,
    }),
  );

  // Ways in that are switched off say so in the protocol's words.
  door.post('/otp', () => Promise.reject(refuse.disabled(422, 'otp_disabled', 'Signups not allowed for otp')));
  door.post('/sso', () => Promise.reject(refuse.disabled(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')));
  door.get('/authorize', () =>
    Promise.reject(refuse.disabled(400, 'validation_failed', 'Unsupported provider: provider is not enabled')),
  );
  door.get('/user/identities/authorize', () =>
    Promise.reject(refuse.disabled(404, 'manual_linking_disabled', 'Manual linking is disabled')),
  );
  door.on(['POST', 'GET', 'PUT', 'DELETE'], ['/factors', '/factors/*'], async (c) => {
    await person(c);
    throw refuse.disabled(422, 'mfa_totp_enroll_not_enabled', 'MFA enroll is disabled for TOTP');
  });
  door.on(['POST', 'GET', 'PUT', 'DELETE'], ['/admin/*', '/invite'], () =>
    Promise.reject(new AuthRefusal(403, 'not_admin', 'User not allowed')),
  );

  door.all('*', (c) => c.json({ code: 'not_found', message: 'There is nothing at this address' }, 404));
  door.onError((error, c) => {
    c.header('x-supabase-api-version', '2024-01-01');
    c.header('cache-control', 'no-store');
    if (error instanceof TokenRefused) {
      const missing = error.code === 'no_api_key';
      return c.json({ code: missing ? 'no_authorization' : error.code, message: error.message }, missing ? 401 : 403);
    }
    if (error instanceof AuthRefusal) {
      if (error.retryAfter !== null) c.header('retry-after', String(error.retryAfter));
      return c.json({ ...error.details, code: error.code, message: error.message }, error.status);
    }
    c.var.log.error({ err: error, path: c.req.path }, 'an account request failed');
    return c.json(
      { code: 'unexpected_failure', message: `Something went wrong on our side. Request ${c.var.requestId}.` },
      500,
    );
  });
  return door;

  async function person(c: Context<Env>): Promise<{ userId: string; sessionId: string }> {
    const caller: Caller = await readCaller(c.req.raw, c.var.ip);
    if (caller.role !== 'authenticated' || !caller.userId || !caller.sessionId) throw refuse.noBearer();
    return { userId: caller.userId, sessionId: caller.sessionId };
  }
}

function address(text: string): string {
  const parsed = email.safeParse(text);
  if (!parsed.success) throw refuse.email();
  return parsed.data;
}

function from(c: Context<Env>): From {
  return { ip: c.var.ip, userAgent: c.req.header('user-agent') ?? null };
}

async function read<S extends z.ZodType>(c: Context<Env>, schema: S): Promise<z.output<S>> {
  let body: unknown;
  try {
    body = JSON.parse(await c.req.text());
  } catch {
    throw new AuthRefusal(400, 'bad_json', 'Could not parse request body as JSON');
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw refuse.validation(`${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'not valid'}`);
}
