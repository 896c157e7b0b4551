import { readFile } from 'node:fs/promises';
import type { Hono } from 'hono';
import { venue } from '#rules/venue.ts';
import { createPasswordRules, readBreached } from './auth/accounts/password-rules.ts';
import type { AuthConfig } from './auth/auth-config.ts';
import { createAuthDoor } from './auth/auth-door.ts';
import { createCodeBook } from './auth/codes/code-book.ts';
import { createLetters } from './auth/codes/letters.ts';
import { createMessageQueue, type MessageQueue } from './auth/codes/message-queue.ts';
import { createOneTimeTokens } from './auth/codes/one-time-tokens.ts';
import { createFlows } from './auth/external/flows.ts';
import { createSessions } from './auth/sessions/sessions.ts';
import type { Config } from './config.ts';
import type { ProviderSettings } from './settings/providers.ts';
import type { Database } from './db/database.ts';
import type { Clock, Env, Log, ReadCaller } from './http/caller.ts';
import type { Keys } from './http/keys.ts';
import type { TakeLimit } from './http/limits.ts';
import type { SessionWatch } from './http/token.ts';
import { createCaptcha } from './providers/captcha.ts';
import { createGithubSignIn } from './providers/github-sign-in.ts';
import { createOpenIdSignIn } from './providers/openid-sign-in.ts';
import type { Mail, SignInProvider } from './providers/ports.ts';
import { createTwilioTexts } from './providers/twilio-texts.ts';

/** The account door with all it is made of. */
export async function composeAuth(parts: {
  config: Config;
  db: Database;
  keys: Keys;
  limits: TakeLimit;
  watch: SessionWatch;
  readCaller: ReadCaller;
  mail: Mail;
  clock: Clock;
  log: Log;
}): Promise<{ door: Hono<Env>; queue: MessageQueue }> {
  const { db, keys, clock, log, mail } = parts;
  const settings = parts.config.auth;
  const { siteUrl, signIn } = parts.config;
  const config: AuthConfig = {
    ...settings,
    ...signIn,
    relyingParty: { ...signIn.relyingParty, name: venue.name },
    siteUrl,
    apiUrl: siteUrl,
  };
  const providers = new Map(signIn.providers.map((one) => [one.name, createSignInProvider(one, siteUrl)]));
  const book = createCodeBook({ keys, length: config.codeLength });
  const tokens = createOneTimeTokens({ book, clock, codeSeconds: config.codeSeconds });
  const letters = createLetters({ db, book, tokens, clock, config });
  const texts = createTwilioTexts(settings.sms);
  const queue = createMessageQueue({ db, mail, texts, letters, clock, log });
  const breached = readBreached(settings.breachedFile === null ? '' : await readFile(settings.breachedFile, 'utf8'));
  const door = createAuthDoor({
    ...parts,
    queue,
    texts,
    book,
    tokens,
    sessions: createSessions({ db, keys, watch: parts.watch, clock, config }),
    flows: createFlows({ keys, clock }),
    providers,
    checkPassword: createPasswordRules({ config, breached }),
    captcha: settings.captcha === null ? null : createCaptcha(settings.captcha),
    config,
  });
  return { door, queue };
}

function createSignInProvider(settings: ProviderSettings, siteUrl: string): SignInProvider {
  const redirectUri = `${siteUrl}/auth/v1/callback`;
  if (settings.dialect === 'openid') return createOpenIdSignIn({ ...settings, redirectUri });
  const [clientId = ''] = settings.clientIds;
  return createGithubSignIn({ ...settings, clientId, redirectUri });
}
