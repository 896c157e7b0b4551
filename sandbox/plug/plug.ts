import { Hono } from 'hono';
import type { Core } from '../core/core.ts';
import { esc } from '../core/page.ts';
import type { Provider } from '../core/provider.ts';
import { type Answer, type Plug, rpc, settle } from './rpc.ts';

const PLUG_IDS = ['green-room', 'studio-a', 'studio-b', 'studio-c'];

/** Simulates second-generation Shelly plugs at `/<plug-id>/rpc`, and shows whether they are on. */
export function createPlug(core: Core): Provider {
  const saved = core.state.load<{ plugs: Plug[] }>('plug', { plugs: PLUG_IDS.map(newPlug) });
  // A file of an earlier version may lack some plugs.
  saved.plugs.push(...PLUG_IDS.filter((id) => !saved.plugs.some((plug) => plug.id === id)).map(newPlug));

  function runDue(): void {
    for (const plug of saved.plugs) if (settle(plug, core.now().getTime())) core.state.changed();
  }

  async function handle(request: Request): Promise<Response> {
    runDue();
    const url = new URL(request.url);
    const [, id, kind, method] = url.pathname.split('/');
    const plug = saved.plugs.find((plug) => plug.id === id);
    if (!plug) return new Response('No such plug', { status: 404 });
    const call = (name: string, params: Record<string, unknown>): Answer => {
      const answer = rpc(plug, name, params, core.now().getTime());
      core.state.changed();
      return answer;
    };
    if (kind === 'shelly' && request.method === 'GET') return bare(call('Shelly.GetDeviceInfo', {}));
    if (kind !== 'rpc') return new Response('Not found', { status: 404 });
    if (method) {
      const params = request.method === 'GET' ? fromQuery(url.searchParams) : toObject(await readJson(request));
      return bare(call(method, params));
    }
    if (request.method !== 'POST') return new Response('Use POST', { status: 405 });
    const frame = toObject(await readJson(request));
    const { id: number, src, method: name } = frame;
    if (typeof name !== 'string')
      return bare({ error: { code: -103, message: "Missing required argument 'method'!" } });
    // A request frame is answered with a frame and status 200, even for errors.
    return Response.json({
      ...(number === undefined ? {} : { id: number }),
      src: `shellyplugsg3-${plug.id}`,
      ...(typeof src === 'string' ? { dst: src } : {}),
      ...call(name, toObject(frame['params'])),
    });
  }

  const control = new Hono();
  control.get('/plugs', (c) => {
    runDue();
    return c.json(saved.plugs.map(({ id, on, history }) => ({ id, on, history })));
  });

  return {
    name: 'plug',
    offset: 3,
    handle,
    // A plug that is offline does not answer.
    offline: () => Response.error(),
    control,
    panel: () => `<section><h2>Lights</h2><table>${saved.plugs.map(row).join('')}</table></section>`,
    reset: () => void (saved.plugs = PLUG_IDS.map(newPlug)),
    runDue,
  };
}

function newPlug(id: string): Plug {
  return { id, on: false, timer: null, history: [] };
}

function row(plug: Plug): string {
  const lamp = `<svg width="26" height="26" role="img" aria-label="${plug.on ? 'lit' : 'dark'}"><circle cx="13" cy="13" r="10" fill="${plug.on ? '#ffc933' : '#d5dde1'}" stroke="#5a6a73" stroke-width="2"/></svg>`;
  const last = plug.history[0];
  return `<tr><td>${lamp}</td><td>${esc(plug.id)}</td><td class="${plug.on ? 'good' : ''}">${plug.on ? 'on' : 'off'}</td><td>${last ? `since ${esc(last.at)} (${last.by})` : 'never switched'}</td></tr>`;
}

/** Responds without a frame: with the result, or with the error and a matching status. */
function bare(answer: Answer): Response {
  if ('result' in answer) return Response.json(answer.result);
  return Response.json(answer.error, { status: answer.error.code === 404 ? 404 : 400 });
}

function fromQuery(search: URLSearchParams): Record<string, unknown> {
  const values = [...search].map(([name, text]) => {
    if (text === 'true' || text === 'false') return [name, text === 'true'] as const;
    const number = Number(text);
    return [name, text === '' || Number.isNaN(number) ? text : number] as const;
  });
  return Object.fromEntries(values);
}

async function readJson(request: Request): Promise<unknown> {
  return request.json().catch(() => null);
}

function toObject(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' ? Object.fromEntries(Object.entries(value)) : {};
}
