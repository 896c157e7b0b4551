import type { Clients } from './clients.ts';
import { exchange } from './endpoints.ts';
import type { Grants } from './grants.ts';
import type { People, Person } from './people.ts';

type Context = { clients: Clients; grants: Grants; people: People };

/** `POST /github/login/oauth/access_token`: GitHub reports errors with status 200 and an `error` field. */
export async function githubToken(context: Context, request: Request): Promise<Response> {
  const form = new URLSearchParams(await request.text());
  // GitHub requires no grant_type.
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
export function githubApi({ grants, people }: Context, request: Request, path: string): Response {
  const token = /^(?:Bearer|token) (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
  const read = grants.read(token);
  const person = people.find(read?.sub ?? '');
  // GitHub refuses requests without a user agent.
  if (!request.headers.get('user-agent')) return new Response('Request forbidden', { status: 403 });
  if (!person || !read) return Response.json({ message: 'Bad credentials' }, { status: 401 });
  if (path === '/user') return Response.json(profileOf(person));
  if (path !== '/user/emails') return Response.json({ message: 'Not Found' }, { status: 404 });
  if (!/user:email|\buser\b/.test(read.scope)) return Response.json({ message: 'Not Found' }, { status: 404 });
  return Response.json([
    { email: person.email, primary: true, verified: person.emailVerified, visibility: 'private' },
    { email: `${person.sub}@users.noreply.github.example`, primary: false, verified: true, visibility: null },
  ]);
}

function profileOf(person: Person): Record<string, unknown> {
  return {
    login: person.email.split('@')[0],
    id: Number(person.sub.slice(0, 9)),
    name: person.name,
    email: null,
    avatar_url: '',
    type: 'User',
  };
}
