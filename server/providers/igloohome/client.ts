import { z } from 'zod';
import { readReply } from '../call.ts';
import { callHttp, refusedBy } from '../http-call.ts';

export type IgloohomeCredentials = {
  readonly authUrl: string;
  readonly apiUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
};

/** Calls igloohome's API with a token and returns the body. Throws `ProviderError`. */
export type CallIgloohome = (method: 'GET' | 'POST', path: string, payload?: unknown) => Promise<unknown>;

const tokenSchema = z.looseObject({ access_token: z.string(), expires_in: z.number() });
/** How long before its expiry a token is replaced. */
const TOKEN_MARGIN_SECONDS = 60;

/** Creates a client that fetches a token when it needs one, and once more if the token is refused. */
export function createIgloohomeClient(credentials: IgloohomeCredentials): CallIgloohome {
  let token: Token | null = null;

  async function request(method: string, path: string, payload: unknown): Promise<{ status: number; body: unknown }> {
    if (token === null || token.until <= Date.now()) token = await fetchToken(credentials);
    return callHttp('igloohome', `${credentials.apiUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token.value}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      ...(payload === undefined ? {} : { body: JSON.stringify(payload) }),
    });
  }

  return async (method, path, payload) => {
    let response = await request(method, path, payload);
    // igloohome answers an expired token with 401 or 403.
    if (response.status === 401 || response.status === 403) {
      token = null;
      response = await request(method, path, payload);
    }
    const { status, body } = response;
    if (status < 200 || status > 299)
      throw refusedBy('igloohome', status, status === 406 ? 'bridge_offline' : `http_${status}`, body);
    return body;
  };
}

/** Checks the shape of a body. Throws `ProviderError`. */
export const parseBody = <S extends z.ZodType>(schema: S, body: unknown): z.output<S> =>
  readReply('igloohome', schema, body);

/** `until`: in milliseconds since 1970. */
type Token = { readonly value: string; readonly until: number };

async function fetchToken({ authUrl, clientId, clientSecret }: IgloohomeCredentials): Promise<Token> {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const { status, body } = await callHttp('igloohome', authUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  if (status !== 200) throw refusedBy('igloohome', status, 'token_refused', body);
  const { access_token: value, expires_in: seconds } = parseBody(tokenSchema, body);
  return { value, until: Date.now() + (seconds - TOKEN_MARGIN_SECONDS) * 1000 };
}
