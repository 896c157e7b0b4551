import type { Core } from '../core/core.ts';
import type { State } from '../core/state.ts';

type PlugState = { id: string; on: boolean; offAt: number | null; history: { at: string; on: boolean; by: string }[] };
export type Plugs = {
  handle(request: Request): Promise<Response>;
  list(): { id: string; on: boolean; history: PlugState['history'] }[];
};

/** Shelly plugs of the second generation: RPC by POST and GET, timers on the sandbox's clock. */
export function createPlugs(parts: { core: Core; state: State }): Plugs {
  const plugs = parts.state.load<PlugState[]>('plugs', [{ id: 'green-room', on: false, offAt: null, history: [] }]);

  function settle(plug: PlugState): void {
    if (plug.offAt !== null && parts.core.now().getTime() >= plug.offAt) {
      plug.offAt = null;
      turn(plug, false, 'timer');
    }
  }
  function turn(plug: PlugState, on: boolean, by: string): void {
    plug.on = on;
    plug.history.unshift({ at: parts.core.now().toISOString(), on, by });
    plug.history.length = Math.min(plug.history.length, 200);
    parts.state.changed();
  }

  function call(
    plug: PlugState,
    method: string,
    params: Record<string, unknown>,
  ): { result: unknown } | { error: { code: number; message: string } } {
    settle(plug);
    if (method === 'Shelly.GetDeviceInfo')
      return { result: { id: plug.id, model: 'SNPL-00112EU', gen: 2, app: 'PlugS', auth_en: false } };
    if (params['id'] === undefined) return { error: { code: -103, message: "Missing required argument 'id'!" } };
    if (Number(params['id']) !== 0)
      return { error: { code: -105, message: `Argument 'id', value ${String(params['id'])} not found!` } };
    if (method === 'Switch.GetStatus')
      return {
        result: {
          id: 0,
          source: plug.history[0]?.by ?? 'init',
          output: plug.on,
          apower: plug.on ? 38.5 : 0,
          voltage: 240.1,
          current: plug.on ? 0.16 : 0,
        },
      };
    const was = plug.on;
    if (method === 'Switch.Toggle') {
      turn(plug, !was, 'rpc');
      return { result: { was_on: was } };
    }
    if (method !== 'Switch.Set') return { error: { code: 404, message: `No handler for ${method}` } };
    const { on, toggle_after: after } = params;
    if (typeof on !== 'boolean') return { error: { code: -103, message: "Missing required argument 'on'!" } };
    turn(plug, on, 'rpc');
    plug.offAt = typeof after === 'number' ? parts.core.now().getTime() + after * 1000 : null;
    return { result: { was_on: was } };
  }

  return {
    async handle(request) {
      const url = new URL(request.url);
      const [, name = '', kind = '', method] = url.pathname.split('/');
      const plug = plugs.find((one) => one.id === name);
      if (!plug) return new Response('no such plug', { status: 404 });
      if (kind === 'shelly') return Response.json(resultOf(call(plug, 'Shelly.GetDeviceInfo', {})));
      if (kind !== 'rpc') return new Response('not found', { status: 404 });
      if (request.method === 'GET' && method) {
        const params = Object.fromEntries(
          [...url.searchParams].map(([key, value]) => [
            key,
            value === 'true' ? true : value === 'false' ? false : Number(value),
          ]),
        );
        const answer = call(plug, method, params);
        return 'error' in answer ? Response.json(answer.error, { status: 400 }) : Response.json(answer.result);
      }
      const sent: unknown = await request.json().catch(() => null);
      const body: Record<string, unknown> =
        sent !== null && typeof sent === 'object' ? Object.fromEntries(Object.entries(sent)) : {};
      const given = body['params'];
      const params: Record<string, unknown> =
        given !== null && typeof given === 'object' ? Object.fromEntries(Object.entries(given)) : {};
      return Response.json({
        id: body['id'],
        src: plug.id,
        ...(typeof body['src'] === 'string' ? { dst: body['src'] } : {}),
        ...call(plug, String(body['method']), params),
      });
    },
    list() {
      for (const plug of plugs) settle(plug);
      return plugs.map(({ id, on, history }) => ({ id, on, history }));
    },
  };
}

function resultOf(answer: { result: unknown } | { error: unknown }): unknown {
  return 'result' in answer ? answer.result : answer.error;
}
