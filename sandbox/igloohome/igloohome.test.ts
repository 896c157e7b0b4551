import { createHmac, createPublicKey, createVerify } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCoreControl } from '../core/control.ts';
import { createCore, type Core } from '../core/core.ts';
import type { Provider } from '../core/provider.ts';
import { guarded } from '../core/serve.ts';
import { createIgloohome } from './igloohome.ts';

type Json = Record<string, unknown>;
type Hook = { path: string; headers: IncomingHttpHeaders; body: string };

const HOUR = 3_600_000;
const BRIDGE_JOBS = '/igloohome/devices/SPA1X0001/jobs/bridges/EB1X00001';
const hooks: Hook[] = [];
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    hooks.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(200).end();
  });
});

let core: Core;
let provider: Provider;
let home: Hono;
let bearer = '';

beforeEach(async () => {
  hooks.length = 0;
  if (!receiver.listening) await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const address = receiver.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  core = createCore({ port: 0, webhookTarget: `http://127.0.0.1:${port}`, stateFile: null });
  provider = createIgloohome(core);
  home = new Hono();
  home.route('/api', createCoreControl(core, [provider]));
  home.route('/api', provider.control);
  if (provider.pages) home.route('/', provider.pages);
  await control('POST', '/api/doors/bridge', { job_ms: 20 });
  bearer = String((await readJson(await token()))['access_token']);
});
afterEach(async () => {
  await provider.close?.();
  core.close();
});

function token(form = 'grant_type=client_credentials', secret = 'sandbox-secret'): Promise<Response> {
  return send('/oauth2/token', {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`sandbox-client:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form,
  });
}
async function readJson(response: Response): Promise<Json> {
  const read: unknown = await response.json();
  return Object.fromEntries(Object.entries(read ?? {}));
}
async function send(path: string, init: RequestInit = {}): Promise<Response> {
  return guarded(core, provider)(new Request(`http://locks.example${path}`, init));
}
async function call(
  method: string,
  path: string,
  body?: unknown,
  by = bearer,
): Promise<{ status: number; json: Json }> {
  const response = await send(path, {
    method,
    headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: await readJson(response) };
}
async function control(method: string, path: string, body?: unknown): Promise<Json> {
  const response = await home.request(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return readJson(response);
}
const press = (pin: string): Promise<Json> => control('POST', '/api/doors/SPA1X0001/keypad', { pin });
const stamp = (time: number): string => new Date(time).toISOString().replace(/\.\d{3}Z$/, '+00:00');
const minute = (offset: number): string => stamp(Math.floor((Date.now() + offset) / 60_000) * 60_000);
const hour = (offset: number): string => stamp(Math.floor((Date.now() + offset) / HOUR) * HOUR);
const newCode = (more: Json = {}): Json => ({
  jobType: 4,
  jobData: { accessName: 'b', pin: '123456', pinType: 4, startDate: minute(0), endDate: minute(2 * HOUR), ...more },
});
async function until<T>(read: () => Promise<T> | T, good: (value: T) => boolean): Promise<T> {
  const end = Date.now() + 5_000;
  for (;;) {
    const value = await read();
    if (good(value)) return value;
    if (Date.now() > end) throw new Error(`it stayed ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}
async function job(body: Json): Promise<Json> {
  const started = await call('POST', BRIDGE_JOBS, body);
  expect(started.status, JSON.stringify(started.json)).toBe(201);
  const done = await until(
    () => call('GET', `/igloohome/jobs/${String(started.json['jobId'])}`),
    ({ json }) => json['completed'] === true,
  );
  return done.json;
}
const reports = (type: number): Hook[] => hooks.filter((hook) => hook.body.includes(`"type":${type},`));

describe('tokens', () => {
  it('are issued for the right secret and owned scopes only', async () => {
    expect((await token(undefined, 'wrong')).status).toBe(401);
    expect((await token('grant_type=password')).status).toBe(400);
    const foreign = await token('grant_type=client_credentials&scope=igloohomeapi/get-devices+igloohomeapi/everything');
    expect([foreign.status, await foreign.json()]).toEqual([400, { error: 'invalid_scope' }]);
    const narrow = String(
      (await readJson(await token('grant_type=client_credentials&scope=igloohomeapi/get-devices')))['access_token'],
    );
    expect((await call('GET', '/igloohome/devices', undefined, narrow)).status).toBe(200);
    expect((await call('POST', BRIDGE_JOBS, newCode(), narrow)).status).toBe(403);
  });
  it('expire after a day of sandbox time', async () => {
    expect((await call('GET', '/igloohome/devices', undefined, 'made.up.token')).status).toBe(401);
    await control('POST', '/api/clock', { advance_seconds: 86_401 });
    expect((await call('GET', '/igloohome/devices')).status).toBe(403);
  });
});

it('lists the locks of three rooms and a spare one, then with the cursor their bridge and a keypad', async () => {
  const page = async (cursor: string) => {
    const { json, status } = await call('GET', `/igloohome/devices${cursor}`);
    const payload = json['payload'];
    return {
      status,
      next: json['nextCursor'],
      devices: Array.isArray(payload) ? payload.map((device: Json) => [device['type'], device['deviceId']]) : [],
    };
  };
  const first = await page('');
  expect(first.devices).toEqual([
    ['Lock', 'SPA1X0001'],
    ['Lock', 'SPB1X0002'],
    ['Lock', 'SPC1X0003'],
    ['Lock', 'SPD1X0004'],
  ]);
  expect(await page(`?cursor=${String(first.next)}`)).toEqual({
    status: 200,
    next: null,
    devices: [
      ['Bridge', 'EB1X00001'],
      ['Keypad', 'EK1X00001'],
    ],
  });
  expect(await page('?cursor=made-up')).toMatchObject({ status: 400 });
});

describe('computed codes', () => {
  const path = '/igloohome/devices/SPA1X0001/algopin';
  it('for one use open once', async () => {
    const created = await call('POST', `${path}/onetime`, { variance: 1, startDate: hour(0), accessName: 'b' });
    const pin = String(created.json['pin']);
    expect(pin).toMatch(/^\d{9}$/);
    expect(await press(pin)).toEqual({ opened: true, reason: 'opened' });
    expect(await press(pin)).toEqual({ opened: false, reason: 'already used' });
  });
  it('open until their end in sandbox time', async () => {
    const wish = { variance: 1, startDate: hour(0), endDate: hour(2 * HOUR), accessName: 'b' };
    const { json } = await call('POST', `${path}/hourly`, wish);
    expect(await press(String(json['pin']))).toMatchObject({ opened: true });
    expect(await press(String(json['pin']))).toMatchObject({ opened: true });
    await control('POST', '/api/clock', { advance_seconds: 7_200 });
    expect(await press(String(json['pin']))).toEqual({ opened: false, reason: 'no longer valid' });
  });
  it('are refused for a keypad and for a body that is not JSON, and cannot be deleted', async () => {
    expect((await call('POST', '/igloohome/devices/EK1X00001/algopin/hourly', {})).status).toBe(400);
    const text = { method: 'POST', headers: { authorization: `Bearer ${bearer}` }, body: 'x' };
    expect((await send(`${path}/hourly`, text)).status).toBe(415);
    expect((await call('DELETE', `${path}/1`)).status).toBe(405);
  });
  it('fill the memory of a lock at 199', async () => {
    const next = Date.parse(hour(HOUR));
    const wish = (at: number): Json => ({
      variance: (at % 3) + 1,
      startDate: stamp(next + Math.floor(at / 3) * HOUR),
      endDate: stamp(next + Math.floor(at / 3 + 1) * HOUR),
      accessName: 'b',
    });
    for (let index = 0; index < 199; index += 1)
      expect((await call('POST', `${path}/hourly`, wish(index))).status).toBe(200);
    // The same request gives the same code and takes no extra space.
    expect((await call('POST', `${path}/hourly`, wish(0))).status).toBe(200);
    expect((await call('POST', `${path}/hourly`, wish(199))).status).toBe(400);
    expect(await job(newCode())).toMatchObject({ jobResponse: { jobStatus: 2 } });
  });
});

describe('jobs for the bridge', () => {
  it('create a code that opens, report its use, and delete it', async () => {
    const started = await call('POST', BRIDGE_JOBS, newCode());
    const early = await call('GET', `/igloohome/jobs/${String(started.json['jobId'])}`);
    expect(early.json).toMatchObject({ completed: false, jobResponse: null, jobType: 4 });
    expect(await job(newCode())).toMatchObject({ jobResponse: { jobStatus: 0 } });
    expect(await press('123456')).toMatchObject({ opened: true });
    await until(
      () => reports(5),
      (found) => found.length === 1,
    );
    expect(JSON.parse(reports(5)[0]?.body ?? '')).toMatchObject({
      payload: {
        product: { id: 'SPA1X0001' },
        event: { data: { activityLogs: [{ logType: 22, pin: '123456', entryDate: expect.any(Number) }] } },
      },
    });
    expect(await job({ jobType: 5, jobData: { pin: '123456' } })).toMatchObject({ jobResponse: { jobStatus: 0 } });
    expect(await press('123456')).toEqual({ opened: false, reason: 'wrong code' });
  });
  it.each([
    [{ pin: '123' }],
    [{ pin: '12345678901' }],
    [{ pin: 123_456 }],
    [{ pinType: 1 }],
    [{ accessName: '' }],
    [{ startDate: minute(0).replace(':00+', ':30+') }],
    [{ startDate: hour(-HOUR) }],
    [{ endDate: minute(0) }],
  ])('are refused with %j', async (more) => {
    expect((await call('POST', BRIDGE_JOBS, newCode(more))).status).toBe(400);
  });
  it('fail when the digits already have another window', async () => {
    await job(newCode());
    expect(await job(newCode({ endDate: minute(3 * HOUR) }))).toMatchObject({ jobResponse: { jobStatus: 2 } });
  });
  it('return battery, status and logs', async () => {
    expect(await job({ jobType: 9 })).toMatchObject({ jobResponse: { jobStatus: 0, opResult: { batteryLevel: 91 } } });
    expect(await job({ jobType: 10 })).toMatchObject({ jobResponse: { jobStatus: 0 } });
    await press('1111');
    expect(await job({ jobType: 15 })).toMatchObject({
      jobResponse: { opResult: { activityLogs: [{ logType: 16 }] } },
    });
    expect((await call('POST', BRIDGE_JOBS, { jobType: 3 })).status).toBe(400);
  });
  it('fail or expire when the control API says so', async () => {
    await control('POST', '/api/doors/bridge', { next_job: 'failed' });
    expect(await job(newCode())).toMatchObject({ jobResponse: { jobStatus: 2 } });
    await control('POST', '/api/doors/bridge', { next_job: 'expired' });
    const started = await call('POST', BRIDGE_JOBS, newCode());
    await control('POST', '/api/clock', { advance_seconds: 61 });
    const ended = await call('GET', `/igloohome/jobs/${String(started.json['jobId'])}`);
    expect(ended.json).toMatchObject({ completed: true, jobResponse: { jobStatus: 2 } });
    expect(await press('123456')).toMatchObject({ opened: false });
  });
  it('are refused while the bridge is offline; later the log arrives in one batch', async () => {
    await control('POST', '/api/doors/bridge', { online: false });
    expect((await call('POST', BRIDGE_JOBS, newCode())).status).toBe(406);
    await press('1111');
    await press('2222');
    expect(reports(5)).toHaveLength(0);
    await control('POST', '/api/doors/bridge', { online: true });
    const [batch] = await until(
      () => reports(5),
      (found) => found.length === 1,
    );
    expect(JSON.parse(batch?.body ?? '').payload.event.data.activityLogs).toHaveLength(2);
    const reported = await until(
      () => reports(10),
      (found) => found.length === 2,
    );
    expect(new Set(reported.map((hook) => JSON.parse(hook.body).payload.event.data.isOnline))).toEqual(
      new Set([false, true]),
    );
  });
  it('get 406 from an offline fault, while the rest of the cloud answers', async () => {
    await control('POST', '/api/faults', { provider: 'igloohome', kind: 'offline' });
    expect((await call('GET', '/igloohome/devices')).status).toBe(200);
    expect((await call('POST', BRIDGE_JOBS, newCode())).status).toBe(406);
    expect((await call('POST', BRIDGE_JOBS, newCode())).status).toBe(201);
  });
});

describe('the keypad', () => {
  it('is locked for five minutes after five wrong codes', async () => {
    await job(newCode());
    for (let index = 0; index < 5; index += 1) expect(await press('999999')).toMatchObject({ reason: 'wrong code' });
    expect(await press('123456')).toMatchObject({ opened: false, reason: expect.stringContaining('locked out') });
    await control('POST', '/api/clock', { advance_seconds: 301 });
    expect(await press('123456')).toMatchObject({ opened: true });
  });
  it('has a page on which a person can type', async () => {
    await job(newCode());
    const before = await (await home.request('/doors/SPA1X0001')).text();
    expect(before).toContain('Door of Studio A');
    const body = new URLSearchParams({ pin: '123456' });
    const after = await (await home.request('/doors/SPA1X0001', { method: 'POST', body })).text();
    expect(after).toMatch(/role="status".*The door opens/);
    const wrong = new URLSearchParams({ pin: '<b>' });
    const refused = await (await home.request('/doors/SPA1X0001', { method: 'POST', body: wrong })).text();
    expect(refused).toContain('a PIN has 1 to 10 digits');
    expect((await home.request('/doors/nowhere')).status).toBe(404);
  });
  it('masks digits in what the control API returns', async () => {
    await press('987654');
    const [door] = Object.values(await control('GET', '/api/doors'));
    expect(door).toMatchObject({ id: 'SPA1X0001', log: [{ opened: false, reason: 'wrong code' }] });
    expect(JSON.stringify(door)).not.toContain('987654');
  });
});

it('signs its webhooks with the key it publishes', async () => {
  await press('1111');
  const [hook] = await until(
    () => reports(5),
    (found) => found.length === 1,
  );
  if (!hook) throw new Error('no report');
  const key = createPublicKey(await (await home.request('/api/doors/webhook-key')).text());
  const text = ['POST', hook.headers.host, hook.path, 'application/json', hook.headers.date, hook.body].join('|');
  const digest = createHmac('sha256', key.export({ type: 'pkcs1', format: 'der' }))
    .update(Buffer.from(text, 'latin1'))
    .digest();
  const signature = Buffer.from(String(hook.headers['x-igloocompany-sha256']), 'base64');
  expect(hook.path).toBe('/functions/v1/igloohome-webhook');
  expect(createVerify('sha256').update(digest).verify(key, signature)).toBe(true);
});

it('deletes codes but keeps keys on a reset', async () => {
  await job(newCode());
  const before = await (await home.request('/api/doors/webhook-key')).text();
  await control('POST', '/api/reset');
  expect(await press('123456')).toMatchObject({ reason: 'wrong code' });
  expect(await (await home.request('/api/doors/webhook-key')).text()).toBe(before);
});

it('keeps codes, tokens and key over a restart', async () => {
  const stateFile = join(mkdtempSync(join(tmpdir(), 'sandbox-')), 'state.json');
  const open = (): void => {
    core = createCore({ port: 0, webhookTarget: core.webhookTarget, stateFile });
    provider = createIgloohome(core);
    home = new Hono();
    home.route('/api', provider.control);
  };
  open();
  bearer = String((await readJson(await token()))['access_token']);
  await control('POST', '/api/doors/bridge', { job_ms: 20 });
  await job(newCode());
  const key = await (await home.request('/api/doors/webhook-key')).text();
  await provider.close?.();
  core.close();
  open();
  expect((await call('GET', '/igloohome/devices')).status).toBe(200);
  expect(await press('123456')).toMatchObject({ opened: true });
  expect(await (await home.request('/api/doors/webhook-key')).text()).toBe(key);
});
