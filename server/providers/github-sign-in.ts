import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ProviderError, readReply } from './call.ts';
import { callHttp, refusedBy } from './http-call.ts';
import type { ProviderUser, SignInProvider } from './ports.ts';

export type GithubSettings = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** https://github.com and https://api.github.com, or the sandbox's URLs. */
  readonly siteUrl: string;
  readonly apiUrl: string;
};

const NAME = 'github';
const SCOPES = ['read:user', 'user:email'];
/** GitHub answers a refused code with 200 and an error. */
const tokenSchema = z.union([
  z.object({ access_token: z.string().min(1), refresh_token: z.string().optional() }),
  z.object({ error: z.string(), access_token: z.undefined() }),
]);
const userSchema = z.object({
  id: z.number().int().positive(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
});
const emailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** Signs in with GitHub. It uses OAuth 2 and not OpenID Connect, so there is no id token, and email addresses need a separate call. */
export function createGithubSignIn(settings: GithubSettings): SignInProvider {
  const { clientId, clientSecret, redirectUri, siteUrl, apiUrl } = settings;

  async function fetchJson<S extends z.ZodType>(token: string, path: string, schema: S): Promise<z.output<S>> {
    const { status, body } = await callHttp(NAME, `${apiUrl}${path}`, {
      method: 'GET',
      headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': 'accounts' },
    });
    if (status !== 200) throw refusedBy(NAME, status, `status_${status}`, body);
    return readReply(NAME, schema, body);
  }

  async function readUser(token: string): Promise<ProviderUser> {
    const user = await fetchJson(token, '/user', userSchema);
    const emails = await fetchJson(token, '/user/emails', emailsSchema);
    const email = emails.find((email) => email.primary) ?? emails[0];
    return {
      subject: String(user.id),
      email: email?.email.trim().toLowerCase() ?? null,
      emailVerified: email?.verified === true,
      claims: {
        iss: siteUrl,
        name: user.name ?? user.login,
        preferred_username: user.login,
        ...(user.avatar_url ? { picture: user.avatar_url } : {}),
      },
    };
  }

  return {
    name: NAME,
    formPost: false,
    startUrl({ state, verifier, scopes, extra }) {
      const url = new URL(`${siteUrl}/login/oauth/authorize`);
      const allScopes = new Set([...SCOPES, ...(scopes ?? '').split(/[\s,]+/)].filter((scope) => scope !== ''));
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      url.search = new URLSearchParams({
        ...extra,
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: [...allScopes].join(' '),
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }).toString();
      return Promise.resolve(url.href);
    },
    async redeem({ state, verifier, response }) {
      if (response.get('state') !== state) throw new ProviderError(NAME, 'state_mismatch', { retryable: false });
      const { status, body } = await callHttp(NAME, `${siteUrl}/login/oauth/access_token`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          client_id: clientId,
          client_secret: clientSecret,
          code: response.get('code') ?? '',
          redirect_uri: redirectUri,
          code_verifier: verifier,
        }).toString(),
      });
      if (status !== 200) throw refusedBy(NAME, status, `status_${status}`, body);
      const token = readReply(NAME, tokenSchema, body);
      if ('error' in token) throw new ProviderError(NAME, 'code_refused', { retryable: false });
      return {
        user: await readUser(token.access_token),
        accessToken: token.access_token,
        refreshToken: token.refresh_token ?? null,
      };
    },
    readIdToken: null,
  };
}
