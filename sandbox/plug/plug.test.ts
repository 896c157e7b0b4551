import { Hono } from 'hono';
import { beforeEach, expect, it } from 'vitest';
import { createCoreControl } from '../core/control.ts';
import { createCore } from '../core/core.ts';
import type { Provider } from '../core/provider.ts';
import { guarded } from '../core/serve.ts';
import { createPlug } from './plug.ts';

let provider: Provider;
let send: (path: string, body?: unknown) => Promise<Response>;
let home: Hono;

beforeEach(() => {
  const core = createCore({ port: 0, webhookTarget: 'http://127.0.0.1:9', stateFile: null });
  provider = createPlug(core);
  home = new Hono();
  home.route('/api', createCoreControl(core, [provider]));
  home.route('/api', provider.control);
  const handle = guarded(core, provider);
  send = async (path, body) =>
    handle(
      new Request(
        `http://plugs.example${path}`,
        body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
      ),
    );
});
async function rpc(method: string, params?: unknown): Promise<unknown> {
  return (await send('/green-room/rpc', { id: 7, src: 'studio', method, params })).json();
}
async function control(path: string, body?: unknown): Promise<unknown> {
  const response = await home.request(path, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) });
  return response.json();
}

it('switches by a frame and returns its previous state', async () => {
  expect(await rpc('Switch.Set', { id: 0, on: true })).toMatchObject({
    id: 7,
    dst: 'studio',
    result: { was_on: false },
  });
  expect(await rpc('Switch.GetStatus', { id: 0 })).toMatchObject({ result: { output: true, source: 'HTTP_in' } });
  expect(await rpc('Switch.Toggle', { id: 0 })).toMatchObject({ result: { was_on: true } });
});

it('switches by a URL too, and answers the result without a frame', async () => {
  const response = await send('/green-room/rpc/Switch.Set?id=0&on=true');
  expect([response.status, await response.json()]).toEqual([200, { was_on: false }]);
  expect(await (await send('/green-room/shelly')).json()).toMatchObject({ gen: 3, auth_en: false });
});

it('switches itself off after its time, in sandbox time', async () => {
  await rpc('Switch.Set', { id: 0, on: true, toggle_after: 60 });
  expect(await rpc('Switch.GetStatus', { id: 0 })).toMatchObject({ result: { output: true, timer_duration: 60 } });
  await control('/api/clock', { advance_seconds: 61 });
  const [greenRoom] = (await control('/api/plugs')) as unknown[];
  expect(greenRoom).toMatchObject({
    id: 'green-room',
    on: false,
    history: [
      { on: false, by: 'timer' },
      { on: true, by: 'rpc' },
    ],
  });
});

it('replaces an older timer with each new command', async () => {
  await rpc('Switch.Set', { id: 0, on: true, toggle_after: 2 });
  await rpc('Switch.Set', { id: 0, on: true });
  await control('/api/clock', { advance_seconds: 10 });
  expect(await rpc('Switch.GetStatus', { id: 0 })).toMatchObject({ result: { output: true } });
});

it('refuses requests as the real plug does', async () => {
  expect(await rpc('Switch.Set', { id: 0 })).toMatchObject({ error: { code: -103 } });
  expect(await rpc('Switch.Set', { on: true })).toMatchObject({ error: { code: -103 } });
  expect(await rpc('Switch.Set', { id: 3, on: true })).toMatchObject({ error: { code: -105 } });
  expect(await rpc('Light.Set', { id: 0, on: true })).toMatchObject({ error: { code: 404 } });
  const bare = await send('/green-room/rpc/Switch.Set?id=0');
  expect([bare.status, await bare.json()]).toMatchObject([400, { code: -103 }]);
  expect((await send('/nowhere/rpc', { method: 'Switch.Toggle', params: { id: 0 } })).status).toBe(404);
});

it('does not answer while it is offline', async () => {
  await control('/api/faults', { provider: 'plug', kind: 'offline' });
  expect((await send('/green-room/shelly')).type).toBe('error');
  expect((await send('/green-room/shelly')).status).toBe(200);
});

it('has a plug for each room, which switch apart', async () => {
  await send('/studio-a/rpc', { method: 'Switch.Set', params: { id: 0, on: true } });
  const plugs = (await control('/api/plugs')) as { id: string; on: boolean }[];
  expect(plugs.map(({ id, on }) => `${id} ${on}`)).toEqual([
    'green-room false',
    'studio-a true',
    'studio-b false',
    'studio-c false',
  ]);
});

it('is off after a reset', async () => {
  await rpc('Switch.Set', { id: 0, on: true });
  provider.reset();
  expect(await control('/api/plugs')).toContainEqual({ id: 'green-room', on: false, history: [] });
});
