import { serve as listen } from '@hono/node-server';
import type { Core } from './core.ts';
import type { Provider } from './provider.ts';

export type Handle = (request: Request) => Promise<Response> | Response;
export type Listening = { close(): Promise<void> };

const HANG_MS = 120_000;

/** Wraps a provider with faults and the request log. `Response.error()` closes the connection. */
export function guarded(core: Core, provider: Provider): Handle {
  return async (request) => {
    const body = request.method === 'GET' ? '' : await request.clone().text();
    const answer = await respond(core, provider, request);
    const { pathname, search } = new URL(request.url);
    core.log({
      at: new Date().toISOString(),
      provider: provider.name,
      method: request.method,
      path: pathname + search,
      status: answer.status,
      body,
    });
    return answer;
  };
}

async function respond(core: Core, provider: Provider, request: Request): Promise<Response> {
  const handle = provider.handle ?? ((): Response => new Response(null, { status: 404 }));
  if (provider.isPage?.(request)) return handle(request);
  const offline = provider.offline?.(request) ?? null;
  const kinds = ['refuse', 'hang', 'status', 'garbage', 'fail_after'] as const;
  const fault = core.takeFault(provider.name, offline === null ? kinds : [...kinds, 'offline']);
  switch (fault?.kind) {
    case 'refuse':
      return Response.error();
    case 'hang':
      await hang(request);
      return Response.error();
    case 'status':
      return Response.json(
        { error: { message: 'a simulated fault', type: 'api_error' }, message: 'a simulated fault' },
        { status: fault.status },
      );
    case 'garbage':
      return new Response('<html>not what you hoped for', { headers: { 'content-type': 'text/html' } });
    case 'offline':
      return offline ?? Response.error();
    case 'fail_after':
      // The request takes effect; only its response is lost.
      await handle(request);
      return Response.error();
    default:
      return handle(request);
  }
}

/** Waits until the caller gives up, for at most two minutes. */
async function hang(request: Request): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, HANG_MS);
    timer.unref();
    request.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Listens on a port. `Response.error()` closes the connection without an answer. */
export async function serve(handle: Handle, port: number, hostname: string): Promise<Listening> {
  const server = await new Promise<ReturnType<typeof listen>>((resolve, reject) => {
    const started = listen(
      {
        fetch: async (request: Request, env: { incoming?: { socket?: { destroy(): void } } }) => {
          const answer = await handle(request);
          if (answer.type !== 'error') return answer;
          env.incoming?.socket?.destroy();
          return new Response(null, { status: 500 });
        },
        port,
        hostname,
      },
      () => resolve(started),
    );
    started.on('error', reject);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
