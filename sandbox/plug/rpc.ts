type Switching = { readonly at: string; readonly on: boolean; readonly by: 'rpc' | 'timer' };
export type Plug = {
  readonly id: string;
  on: boolean;
  /** When the timer was set and when the plug switches back, in milliseconds. */
  timer: { readonly setAt: number; readonly flipAt: number } | null;
  /** The last switchings, newest first. */
  history: Switching[];
};
export type Answer = { result: Record<string, unknown> } | { error: { code: number; message: string } };

const HISTORY_MAX = 200;
const WATTS = 38.5;
const VOLTS = 240.1;

/** Runs one Shelly Gen2 RPC call (shelly-api-docs.shelly.cloud, Switch). `now` is in milliseconds. */
export function rpc(plug: Plug, method: string, params: Readonly<Record<string, unknown>>, now: number): Answer {
  settle(plug, now);
  if (method === 'Shelly.GetDeviceInfo') return { result: deviceInfo(plug) };
  if (!['Switch.Set', 'Switch.Toggle', 'Switch.GetStatus'].includes(method))
    return { error: { code: 404, message: `No handler for ${method}` } };
  const { id, on, toggle_after: after } = params;
  if (id === undefined) return missing('id');
  if (typeof id !== 'number') return wrongType('id', 'number');
  if (id !== 0) return { error: { code: -105, message: `Argument 'id', value ${id} not found!` } };
  if (method === 'Switch.GetStatus') return { result: status(plug) };
  const was = plug.on;
  if (method === 'Switch.Toggle') {
    plug.timer = null;
    turn(plug, !was, now, 'rpc');
    return { result: { was_on: was } };
  }
  if (on === undefined) return missing('on');
  if (typeof on !== 'boolean') return wrongType('on', 'boolean');
  if (after !== undefined && !(typeof after === 'number' && after > 0)) return wrongType('toggle_after', 'number');
  // A new command replaces the timer of an older one.
  plug.timer = typeof after === 'number' ? { setAt: now, flipAt: now + after * 1000 } : null;
  turn(plug, on, now, 'rpc');
  return { result: { was_on: was } };
}

/** Switches the plug back if its timer is due. Returns whether it did. */
export function settle(plug: Plug, now: number): boolean {
  if (plug.timer === null || now < plug.timer.flipAt) return false;
  const { flipAt } = plug.timer;
  plug.timer = null;
  turn(plug, !plug.on, flipAt, 'timer');
  return true;
}

function turn(plug: Plug, on: boolean, at: number, by: Switching['by']): void {
  plug.on = on;
  plug.history.unshift({ at: new Date(at).toISOString(), on, by });
  plug.history.length = Math.min(plug.history.length, HISTORY_MAX);
}

function status(plug: Plug): Record<string, unknown> {
  return {
    id: 0,
    source: plug.history[0]?.by === 'timer' ? 'timer' : plug.history.length > 0 ? 'HTTP_in' : 'init',
    output: plug.on,
    ...(plug.timer
      ? { timer_started_at: plug.timer.setAt / 1000, timer_duration: (plug.timer.flipAt - plug.timer.setAt) / 1000 }
      : {}),
    apower: plug.on ? WATTS : 0,
    voltage: VOLTS,
    current: plug.on ? WATTS / VOLTS : 0,
    temperature: { tC: 31.2, tF: 88.2 },
  };
}

function deviceInfo(plug: Plug): Record<string, unknown> {
  return {
    name: plug.id,
    id: `shellyplugsg3-${plug.id}`,
    model: 'S3PL-00112EU',
    gen: 3,
    app: 'PlugSG3',
    ver: '1.7.0',
    auth_en: false,
    auth_domain: null,
  };
}

const missing = (name: string): Answer => ({ error: { code: -103, message: `Missing required argument '${name}'!` } });
const wrongType = (name: string, type: string): Answer => ({
  error: { code: -103, message: `Invalid argument '${name}', it should be a ${type}!` },
});
