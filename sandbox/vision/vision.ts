import { Hono } from 'hono';
import { readBody, refusal } from '../core/control.ts';
import type { Core } from '../core/core.ts';
import type { Provider } from '../core/provider.ts';
import { createLicencePages } from '../licence/licence.ts';
import { createSpecimenMemory } from '../licence/memory.ts';
import { chatCompletions, messages, type Protocol, type ModelAnswer } from './protocols.ts';
import { type MagicAnswer, magicAnswers, createReading } from './reading.ts';

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  '/v1/chat/completions': chatCompletions,
  '/v1/messages': messages,
};
const MODELS = '/v1/models/';
const MODEL = 'specimen-reader';
/** How long a model that never answers keeps the connection open. */
const SILENT_MS = 120_000;

/** Simulates a vision model that recognises the specimens of this sandbox, and serves those specimens. */
export function createVision(core: Core): Provider {
  const memory = createSpecimenMemory(core);
  let armed: MagicAnswer[] = [];
  let last: unknown = null;

  async function handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (request.method === 'GET' && pathname.startsWith(MODELS)) return describeModel(request, pathname);
    const protocol = PROTOCOLS[pathname];
    if (!protocol || request.method !== 'POST')
      return Response.json({ error: { message: 'Unknown address', type: 'invalid_request_error' } }, { status: 404 });
    const keyFault = protocol.keyFault(request.headers);
    if (keyFault) return keyFault;
    if (protocol === messages && request.headers.get('anthropic-version') === null)
      return protocol.invalid('anthropic-version: header is required');
    const question = protocol.read(await readBody(request));
    if (question instanceof Response) return question;
    const magic = armed.shift() ?? null;
    if (magic === 'rate_limited') return protocol.rateLimited();
    if (magic === 'timeout') return hangUntilAborted(request);
    if (magic === 'refusal') return protocol.answer(question, { refusal: "I'm sorry, I can't help with that." });
    if (magic === 'malformed') return protocol.answer(question, { broken: true });
    const specimen = question.picture === null ? null : await memory.recognise(question.picture).catch(() => 'bad');
    if (typeof specimen === 'string') return protocol.invalid('The image could not be processed');
    const modelAnswer: ModelAnswer = { reading: createReading(specimen, magic, core.now()) };
    last = modelAnswer.reading;
    return protocol.answer(question, modelAnswer);
  }

  const control = new Hono();
  control.get('/vision', (c) => c.json({ armed, answers: magicAnswers, last }));
  control.post('/vision', async (c) => {
    const { answer, count = 1 } = await readBody(c.req.raw);
    const magic = magicAnswers.find((magic) => magic === answer);
    if (!magic) return refusal(`answer is one of ${magicAnswers.join(', ')}`);
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > 100)
      return refusal('count is a whole number from 1 to 100');
    armed.push(...Array.from({ length: count }, () => magic));
    return c.json({ armed });
  });
  control.delete('/vision', (c) => {
    armed = [];
    return c.json({ armed });
  });

  return {
    name: 'vision',
    offset: 4,
    handle,
    control,
    pages: createLicencePages(memory, core.now),
    panel: () =>
      `<section><h2>Licences</h2><p>Pictures to try the ID check with.${armed.length > 0 ? ` The vision model will answer next: ${armed.join(', ')}.` : ''}</p><a class="button quiet" href="/specimens">Specimen licences</a></section>`,
    reset() {
      armed = [];
      last = null;
      memory.clear();
    },
  };
}

/** Waits until the caller gives up. */
async function hangUntilAborted(request: Request): Promise<Response> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, SILENT_MS);
    timer.unref();
    request.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  return Response.error();
}

/** `GET /v1/models/{model}`, which both protocols share. */
function describeModel(request: Request, pathname: string): Response {
  const fault = (request.headers.has('x-api-key') ? messages : chatCompletions).keyFault(request.headers);
  if (fault) return fault;
  const id = decodeURIComponent(pathname.slice(MODELS.length));
  if (id === MODEL) return Response.json({ id, object: 'model', type: 'model' });
  return Response.json(
    { error: { message: `The model ${id} does not exist`, type: 'not_found_error' } },
    { status: 404 },
  );
}
