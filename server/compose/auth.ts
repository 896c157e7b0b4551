import { readFile } from 'node:fs/promises';
import type { Hono } from 'hono';
import { z } from 'zod';
import type { BusinessSettings } from '#rules/business/business.ts';
import { readBreached } from '#server/auth/accounts/breached-passwords.ts';
import { createMessageQueue, deleteClosedMessages, messageJobKinds } from '#server/auth/codes/message-queue.ts';
import { sendMessage } from '#server/auth/codes/send-message.ts';
import { deleteExpired } from '#server/auth/core/cleanup.ts';
import type { AuthConfig } from '#server/auth/core/config.ts';
import type { AuthContext } from '#server/auth/core/context.ts';
import { authLimits } from '#server/auth/core/limits.ts';
import { mailRedirect } from '#server/auth/core/redirects.ts';
import { createAuthRouter } from '#server/auth/router.ts';
import { AuthRefusal } from '#server/auth/core/errors.ts';
import { userById } from '#server/auth/accounts/users.ts';
import { proveIdentity } from '#server/auth/user/prove-identity.ts';
import { samlParty } from '#server/auth/sso/metadata.ts';
import type { Config } from '#server/config/operating/config.ts';
import type { ProviderConfig } from '#server/config/providers.ts';
import type { Database } from '#server/db/database.ts';
import type { Clock, Env, ReadCaller } from '#server/http/caller.ts';
import type { Keys } from '#server/crypto/keys.ts';
import { createLeasedLimit, takeBatches } from '#server/http/leased-limit.ts';
import type { TakeLimit } from '#server/http/limits.ts';
import type { Services } from '#server/operations/core/services.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import type { JobKinds } from '#server/queue/jobs.ts';
import type { SessionWatch } from '#server/http/token.ts';
import { createCaptcha } from '#server/providers/captcha.ts';
import type { Circuit } from '#server/providers/circuit.ts';
import { createGithubSignIn } from '#server/providers/github-sign-in.ts';
import { guardTexts, observeCaptcha, observeSignIn, observeSingleSignOn } from '#server/providers/guarded.ts';
import type { ObserveCalls } from '#server/providers/call.ts';
import { createOpenIdSignIn } from '#server/providers/openid-sign-in.ts';
import type { Mail, SignInProvider, SingleSignOn, TextMessages } from '#server/providers/ports.ts';
import { createSamlSignIn, type SamlProvider, samlProviderSchema } from '#server/providers/saml-sign-in.ts';
import { createTwilioTexts } from '#server/providers/twilio-texts.ts';

export type ComposedAuth = {
  readonly router: Hono<Env>;
  readonly jobKinds: JobKinds;
  /** Deletes sign-in data that has expired. */
  readonly cleanup: () => Promise<void>;
  readonly proveOwner: Services['proveOwner'];
  readonly forgetSessions: Services['forgetSessions'];
  readonly texts: TextMessages;
};

/** Builds the auth API with its dependencies. */
export async function composeAuth(dependencies: {
  config: Config;
  db: Database;
  keys: Keys;
  limits: TakeLimit;
  watch: SessionWatch;
  readCaller: ReadCaller;
  mail: Mail;
  textCircuit: Circuit;
  observe: ObserveCalls;
  /** Makes a worker look for due jobs immediately. */
  wake: (worker: string) => void;
  clock: Clock;
  business: () => BusinessSettings;
}): Promise<ComposedAuth> {
  const { db, clock, mail, business, observe } = dependencies;
  const { auth: settings, siteUrl, signIn } = dependencies.config;
  const config = readAuthConfig(dependencies.config, business);
  const providers = new Map(
    signIn.providers.map((provider) => [
      provider.name,
      observeSignIn(createSignInProvider(provider, siteUrl), observe),
    ]),
  );
  const texts = guardTexts(createTwilioTexts(settings.sms), dependencies.textCircuit);
  const queue = createMessageQueue({
    mailRedirect: (requested) => mailRedirect(config, requested),
    wake: dependencies.wake,
    clock,
    codeSeconds: config.codeSeconds,
  });
  const context: AuthContext = {
    ...dependencies,
    queue,
    mail,
    letterhead: business,
    texts,
    admitRefresh: createLeasedLimit({
      limit: authLimits.refreshIp,
      take: takeBatches({ queryRow: db.queryRow, clock, factor: dependencies.config.limitFactor }),
      clock,
    }),
    sessions: dependencies.watch,
    providers,
    ssoProviders: (await readSsoProviders(signIn.saml, siteUrl)).map((provider) =>
      observeSingleSignOn(provider, observe),
    ),
    isBreached: readBreached(settings.breachedFile === null ? '' : await readFile(settings.breachedFile, 'utf8')),
    captcha: settings.captcha && observeCaptcha(createCaptcha(settings.captcha), settings.captcha.provider, observe),
    config,
  };
  return {
    router: createAuthRouter(context),
    texts,
    forgetSessions: dependencies.watch.forget,
    proveOwner: createOwnerProof(context),
    jobKinds: messageJobKinds((message) => sendMessage(context, message)),
    async cleanup() {
      await deleteExpired(db, clock());
      await deleteClosedMessages(db, clock());
    },
  };
}

/** Requires the same proof of identity as a change of password. Throws the refusals of functions. */
function createOwnerProof(context: AuthContext): Services['proveOwner'] {
  return async (userId, sessionId, proof) => {
    const user = await userById(context.db, userId);
    if (user === null) throw new Refusal('not_found', 'Account not found');
    try {
      await proveIdentity(context, user, sessionId, proof);
    } catch (error) {
      throw error instanceof AuthRefusal ? (toRefusal(error) ?? error) : error;
    }
  };
}

function toRefusal({ code, message, retryAfter }: AuthRefusal): Refusal | null {
  switch (code) {
    case 'current_password_required':
    case 'current_password_invalid':
    case 'reauthentication_needed':
    case 'reauthentication_not_valid':
      return new Refusal(code, message);
    case 'insufficient_aal':
      return new Refusal('second_factor_required', 'Sign in again with your second step first.');
    case 'over_request_rate_limit':
      return new Refusal('too_many_requests', message, { retryAfter });
    default:
      return null;
  }
}

function readAuthConfig({ auth, signIn, siteUrl }: Config, business: () => BusinessSettings): AuthConfig {
  const relyingParty = {
    ...signIn.relyingParty,
    // Staff may change the name while the server runs.
    get name() {
      return business().name;
    },
  };
  return { ...auth, ...signIn, relyingParty, siteUrl, apiUrl: siteUrl };
}

function createSignInProvider(settings: ProviderConfig, siteUrl: string): SignInProvider {
  const redirectUri = `${siteUrl}/auth/v1/callback`;
  if (settings.dialect === 'openid') return createOpenIdSignIn({ ...settings, redirectUri });
  const [clientId = ''] = settings.clientIds;
  return createGithubSignIn({ ...settings, clientId, redirectUri });
}

/** Reads the SAML identity providers from the operator's file. Throws if the file is missing or invalid. */
async function readSsoProviders(saml: Config['signIn']['saml'], siteUrl: string): Promise<readonly SingleSignOn[]> {
  if (saml === null) return [];
  const definitions: unknown =
    'file' in saml ? JSON.parse(await readFile(saml.file, 'utf8')) : [simulatedSsoProvider(saml.sandbox)];
  return z
    .array(samlProviderSchema)
    .parse(definitions)
    .map((provider) => createSamlSignIn(provider, samlParty(siteUrl)));
}

function simulatedSsoProvider(sandbox: string): SamlProvider {
  return {
    id: '5a4d1000-0000-4000-8000-000000000001',
    entity_id: `${sandbox}/saml/metadata`,
    sso_url: `${sandbox}/saml/sso`,
    certificate: `${sandbox}/saml/key`,
    domains: ['example.com'],
    attributes: {},
  };
}
