import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { readReply } from '../call.ts';
import { callHttp, refusedBy } from '../http-call.ts';

type Settings = { readonly email: string; readonly tokenUrl: string; readonly apiUrl: string };
export type Method = 'GET' | 'PATCH' | 'POST';
/** `body`: null to send none. */
type Request = { readonly method: Method; readonly path: string; readonly body: unknown };

const SCOPE = 'https://www.googleapis.com/auth/wallet_object.issuer';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const tokenSchema = z.looseObject({ access_token: z.string().min(1), expires_in: z.number() });
/** The object that was read, made or changed. */
const objectSchema = z.looseObject({ id: z.string().min(1) });
/** How long before its expiry a token is replaced. */
const EARLY_MS = 60_000;

/**
 * Calls Google's wallet API as the service account, with an access token that is kept until it expires. Returns the status of the answer.
 * Throws `ProviderError` if there is none.
 */
export function createGoogleApi({ email, tokenUrl, apiUrl }: Settings, key: KeyObject) {
  let kept: { readonly token: string; readonly until: number } | null = null;

  async function accessToken(now: Date): Promise<string> {
    if (kept !== null && now.getTime() < kept.until) return kept.token;
    const seconds = Math.floor(now.getTime() / 1000);
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(email)
      .setAudience(tokenUrl)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + 3_600)
      .sign(key);
    const { status, body } = await callHttp('google-wallet', tokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: GRANT, assertion }).toString(),
    });
    if (status !== 200) throw refusedBy('google-wallet', status, `no access token: status ${status}`, body);
    const { access_token: token, expires_in: lifetime } = readReply('google-wallet', tokenSchema, body);
    kept = { token, until: now.getTime() + lifetime * 1000 - EARLY_MS };
    return token;
  }

  return async ({ method, path, body }: Request, now: Date): Promise<number> => {
    const token = await accessToken(now);
    const { status, body: reply } = await callHttp('google-wallet', `${apiUrl}/walletobjects/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    });
    // The next attempt gets a new token.
    if (status === 401) kept = null;
    if (status >= 200 && status <= 299) readReply('google-wallet', objectSchema, reply);
    return status;
  };
}
