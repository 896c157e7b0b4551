import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCoreControl } from '../core/control.ts';
import { createCore } from '../core/core.ts';
import { guarded } from '../core/serve.ts';
import { fill, strictFault } from './schema.ts';
import { createVision } from './vision.ts';

const nullable = { type: ['string', 'null'] };
const date = {
  type: 'object',
  properties: { iso: nullable, printed: nullable },
  required: ['iso', 'printed'],
  additionalProperties: false,
};
const schema = {
  type: 'object',
  properties: {
    document_kind: { type: 'string', enum: ['driver_licence', 'other', 'unclear'] },
    issuing_state: nullable,
    medium: { type: 'string', enum: ['physical', 'screen', 'screenshot', 'photocopy', 'unclear'] },
    given_names: nullable,
    family_name: nullable,
    date_of_birth: date,
    expiry: date,
    is_legible: { type: 'boolean' },
    issues: { type: 'array', items: { type: 'string' } },
    confidence: { type: 'number' },
  },
  required: [
    'document_kind',
    'issuing_state',
    'medium',
    'given_names',
    'family_name',
    'date_of_birth',
    'expiry',
    'is_legible',
    'issues',
    'confidence',
  ],
  additionalProperties: false,
};

type Json = Record<string, unknown>;
let home: Hono;
let send: (path: string, body: unknown, headers: Record<string, string>) => Promise<Response>;

beforeEach(() => {
  const core = createCore({ port: 0, webhookTarget: 'http://127.0.0.1:9', stateFile: null });
  const provider = createVision(core);
  home = new Hono();
  home.route('/api', createCoreControl(core, [provider]));
  home.route('/api', provider.control);
  if (provider.pages) home.route('/', provider.pages);
  const handle = guarded(core, provider);
  send = async (path, body, headers) =>
    handle(new Request(`http://model.example${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
});

async function photograph(query = 'given=Priya&family=Raghunathan&dob=2001-05-06&expiry=2029-07-08'): Promise<string> {
  const picture = await home.request(`/licence.jpg?${query}`);
  return Buffer.from(await picture.arrayBuffer()).toString('base64');
}
const question = (picture: string): Json => ({
  model: 'seer',
  messages: [
    { role: 'system', content: 'Read the licence.' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/jpeg;base64,${picture}` } }] },
  ],
  response_format: { type: 'json_schema', json_schema: { name: 'response', strict: true, schema } },
});
const ask = (body: unknown, key = 'sandbox-vision'): Promise<Response> =>
  send('/v1/chat/completions', body, { authorization: `Bearer ${key}` });
async function choice(body: unknown): Promise<{ content: string | null; refusal: string | null }> {
  const answer = JSON.parse(await (await ask(body)).text());
  return answer.choices[0].message;
}
async function reading(picture: string): Promise<Json> {
  return JSON.parse((await choice(question(picture))).content ?? '');
}
async function arm(answer: string, count = 1): Promise<void> {
  const response = await home.request('/api/vision', { method: 'POST', body: JSON.stringify({ answer, count }) });
  expect(response.status).toBe(200);
}

describe('chat completions', () => {
  it('read the specimen in the picture, in the requested schema', async () => {
    expect(await reading(await photograph())).toEqual({
      document_kind: 'driver_licence',
      issuing_state: 'NSW',
      medium: 'physical',
      given_names: 'Priya',
      family_name: 'RAGHUNATHAN',
      date_of_birth: { iso: '2001-05-06', printed: '06 MAY 2001' },
      expiry: { iso: '2029-07-08', printed: '08 JUL 2029' },
      is_legible: true,
      issues: [],
      confidence: 97,
    });
  });
  it('read nothing in a blurred licence, and no licence in other pictures', async () => {
    expect(await reading(await photograph('blur=12'))).toMatchObject({
      document_kind: 'driver_licence',
      given_names: null,
      is_legible: false,
    });
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
    expect(await reading(dot)).toMatchObject({ document_kind: 'other' });
  });
  it('refuse a wrong key, a strict schema that is not strict, and a request without a picture', async () => {
    expect((await ask(question(''), 'wrong')).status).toBe(401);
    const open = { ...schema, additionalProperties: true };
    const format = { type: 'json_schema', json_schema: { name: 'response', strict: true, schema: open } };
    expect((await ask({ ...question('AAAA'), response_format: format })).status).toBe(400);
    expect((await ask(question('bm90IGEgcGljdHVyZQ=='))).status).toBe(400);
    expect((await ask({ messages: [] })).status).toBe(400);
  });
});

describe('on command', () => {
  it.each([
    ['mismatch', { given_names: 'Robin', family_name: 'SAMPLE' }],
    ['not_a_licence', { document_kind: 'other', family_name: null }],
    ['glare', { is_legible: false, document_kind: 'driver_licence' }],
    ['interstate', { issuing_state: 'VIC' }],
    ['screen', { medium: 'screen' }],
    ['unsure', { confidence: 40 }],
  ])('the model sees %s once', async (answer, seen) => {
    const picture = await photograph();
    await arm(answer);
    expect(await reading(picture)).toMatchObject(seen);
    expect(await reading(picture)).toMatchObject({ given_names: 'Priya' });
  });
  it('the model reads somebody under 18, an expired card, or two dates that disagree', async () => {
    const picture = await photograph();
    await arm('under_18');
    await arm('expired');
    await arm('dates_disagree');
    const year = new Date().getUTCFullYear();
    expect(JSON.stringify((await reading(picture))['date_of_birth'])).toContain(String(year - 17));
    expect(JSON.stringify((await reading(picture))['expiry'])).toContain(String(year - 1));
    expect((await reading(picture))['date_of_birth']).toMatchObject({
      iso: expect.stringContaining(String(year - 40)),
      printed: '06 MAY 2001',
    });
  });
  it('the model refuses, breaks off, is rate limited or does not answer', async () => {
    const picture = await photograph();
    await arm('refusal');
    expect(await choice(question(picture))).toMatchObject({ content: null, refusal: expect.any(String) });
    await arm('malformed');
    const broken = (await choice(question(picture))).content ?? '';
    expect(() => JSON.parse(broken)).toThrow();
    await arm('rate_limited');
    const busy = await ask(question(picture));
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '1']);
    await home.request('/api/vision', { method: 'POST', body: JSON.stringify({ answer: 'timeout' }) });
    const quick = await Promise.race([
      ask(question(picture)).then(() => 'answered'),
      new Promise((done) => setTimeout(() => done('silent'), 150)),
    ]);
    expect(quick).toBe('silent');
    expect((await home.request('/api/vision', { method: 'POST', body: '{"answer":"sing"}' })).status).toBe(400);
  });
});

describe('messages', () => {
  const headers = { 'x-api-key': 'sandbox-vision', 'anthropic-version': '2023-06-01' };
  const body = (picture: string, more: Json): Json => ({
    model: 'seer',
    max_tokens: 1_000,
    messages: [
      {
        role: 'user',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: picture } }],
      },
    ],
    ...more,
  });
  const say = async (sent: Json, by: Record<string, string> = headers): Promise<[number, Json]> => {
    const response = await send('/v1/messages', sent, by);
    return [response.status, JSON.parse(await response.text())];
  };
  it('answer through a forced tool', async () => {
    const tools = [{ name: 'json', input_schema: schema }];
    const sent = body(await photograph(), { tools, tool_choice: { type: 'tool', name: 'json' } });
    expect(await say(sent)).toMatchObject([
      200,
      { stop_reason: 'tool_use', content: [{ type: 'tool_use', name: 'json', input: { given_names: 'Priya' } }] },
    ]);
    await arm('refusal');
    expect(await say(sent)).toMatchObject([200, { stop_reason: 'refusal' }]);
  });
  it('answer in the requested output format', async () => {
    const format = { type: 'json_schema', schema };
    const [, answer] = await say(body(await photograph(), { output_config: { format } }));
    const content = answer['content'];
    const first: Json = Array.isArray(content) ? content[0] : {};
    expect(JSON.parse(String(first['text']))).toMatchObject({ family_name: 'RAGHUNATHAN' });
  });
  it('require a key, a version and a token limit', async () => {
    const sent = body('', {});
    expect(await say(sent, { 'anthropic-version': '2023-06-01' })).toMatchObject([
      401,
      { type: 'error', error: { type: 'authentication_error' } },
    ]);
    expect((await say(sent, { 'x-api-key': 'sandbox-vision' }))[0]).toBe(400);
    expect((await say({ ...sent, max_tokens: undefined }))[0]).toBe(400);
  });
  it('leave no picture in the request log', async () => {
    const picture = await photograph();
    await say(body(picture, {}));
    await ask(question(picture));
    const log = await (await home.request('/api/requests?provider=vision')).text();
    expect(log).toContain('/v1/messages');
    expect(log).not.toContain(picture.slice(100, 140));
  });
});

it('fills the properties of a schema and nothing else', () => {
  const requestedSchema = {
    type: 'object',
    properties: {
      givenNames: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      cardNumber: nullable,
      kind: { enum: ['passport', 'unclear'] },
      issues: { type: 'array', items: { type: 'string' } },
    },
  };
  const data = { given_names: null, kind: 'driver_licence', issues: ['glare'], family_name: 'CITIZEN' };
  expect(fill(requestedSchema, data)).toEqual({
    givenNames: null,
    cardNumber: null,
    kind: 'unclear',
    issues: ['glare'],
  });
  expect(strictFault(schema)).toBeNull();
  expect(strictFault({ ...schema, required: ['expiry'] })).toContain('required');
});
