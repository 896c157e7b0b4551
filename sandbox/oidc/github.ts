import type { Clients } from './clients.ts';
import { exchange } from './endpoints.ts';
import type { Grants } from './grants.ts';
import type { Account, Accounts } from '../accounts/accounts.ts';

type Context = { clients: Clients; grants: Grants; accounts: Accounts };

/** `POST /github/login/oauth/access_token`. Like GitHub, it reports errors with status 200 and an `error` field. */
export async function githubToken(context: Context, request: Request): Promise<Response> {
  const form = new URLSearchParams(await request.text());
  // GitHub does not require a grant_type.
  form.set('grant_type', 'authorization_code');
  const grant = exchange(context, null, form);
  if ('error' in grant) {
    const error = grant.error === 'invalid_client' ? 'incorrect_client_credentials' : 'bad_verification_code';
    return Response.json({ error, error_description: 'The code passed is incorrect or expired.' });
  }
  return Response.json({
    access_token: context.grants.token(form.get('code') ?? '', grant),
    token_type: 'bearer',
    scope: grant.scope.split(' ').join(','),
  });
}

/** `GET /github/api/user` and `/github/api/user/emails` */
export function githubApi({ grants, accounts }: Context, request: Request, path: string): Response {
  const token = /^(?:Bearer|token) (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
  const read = grants.read(token);
  const account = accounts.find(read?.sub ?? '');
  // GitHub refuses requests without a user agent.
  if (!request.headers.get('user-agent')) return new Response('Request forbidden', { status: 403 });
  if (!account || !read) return Response.json({ message: 'Bad credentials' }, { status: 401 });
  if (path === '/user') return Response.json(toProfile(account));
  if (path !== '/user/emails') return Response.json({ message: 'Not Found' }, { status: 404 });
  if (!/user:email|\buser\b/.test(read.scope)) return Response.json({ message: 'Not Found' }, { status: 404 });
  return Response.json([
    { email: account.email, primary: true, verified: account.emailVerified, visibility: 'private' },
    { email: `${account.sub}@users.noreply.github.example`, primary: false, verified: true, visibility: null },
  ]);
}

function toProfile(account: Account): Record<string, unknown> {
  return {
    login: account.email.split('@')[0],
    id: Number(account.sub.slice(0, 9)),
    name: account.name,
    email: null,
    avatar_url: '',
    type: 'User',
  };
}
