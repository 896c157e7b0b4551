import { serve as listen } from '@hono/node-server';
import type { Core, ProviderName } from './core.ts';

export type Handle = (request: Request) => Promise<Response> | Response;
export type Listening = { close(): Promise<void> };

const HANG_MS = 60_000;

/** Hides what must not be read back: keys, codes of doors, pictures. */
export function mask(text: string): string {
  return text
    .replace(/("?(?:pin|client_secret|password)"?\s*[:=]\s*"?)[^"&,}\s]+/gi, '$1***')
    .replace(/data:image\/[^"]+/g, 'data:image/***')
    .slice(0, 2_000);
}

/** Puts the faults and the request log in front of a stand-in. */
export function guarded(core: Core, provider: ProviderName, handle: Handle): Handle {
  return async (request) => {
    const copy = request.clone();
    const body = request.method === 'GET' ? '' : await copy.text();
    const answer = await respond(core, provider, handle, request);
    core.log({
      at: new Date().toISOString(),
      provider,
      method: request.method,
      path: new URL(request.url).pathname + new URL(request.url).search,
      status: answer.status,
      body: mask(body),
    });
    return answer;
  };
}

async function respond(core: Core, provider: ProviderName, handle: Handle, request: Request): Promise<Response> {
  const fault = core.takeFault(provider, ['refuse', 'hang', 'status', 'garbage', 'fail_after', 'offline']);
  switch (fault?.kind) {
    case 'refuse':
      return Response.error();
    case 'hang':
      await new Promise((resolve) => setTimeout(resolve, HANG_MS));
      return Response.error();
    case 'status':
      return Response.json(
        { error: { message: 'a fault was asked for', type: 'api_error' } },
        { status: fault.status },
      );
    case 'garbage':
      return new Response('<html>not what you hoped for', { headers: { 'content-type': 'text/html' } });
    case 'offline':
      return Response.json({ message: 'device unreachable' }, { status: provider === 'igloohome' ? 406 : 503 });
    case 'fail_after':
      // It happens, and the answer is lost.
      await handle(request);
      return Response.error();
    default:
      return handle(request);
  }
}

/** Listens; an answer of status 0 (`Response.error()`) hangs up without a word. */
export async function serve(handle: Handle, port: number, hostname: string): Promise<Listening> {
  const server = await new Promise<ReturnType<typeof listen>>((resolve, reject) => {
    const started = listen(
      {
        fetch: async (request: Request, env: { incoming?: { socket?: { destroy(): void } } }) => {
          const answer = await handle(request);
          if (answer.type === 'error' || answer.status === 0) {
            env.incoming?.socket?.destroy();
            return new Response(null, { status: 500 });
          }
          return answer;
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
