import { randomUUID } from 'node:crypto';
import { fill, strictFault } from './schema.ts';

/** A request to the model, parsed from either protocol. */
type Question = {
  readonly model: string;
  /** The first picture, or null if there is none. */
  readonly picture: Uint8Array | null;
  /** JSON Schema of the answer, or null for free text. */
  readonly schema: unknown;
  /** The tool that an Anthropic request forces, or null if the answer is text. */
  readonly tool: string | null;
};
export type ModelAnswer = { readonly reading: unknown } | { readonly refusal: string } | { readonly broken: true };
export type Protocol = {
  /** Returns the response to a wrong key, or null if the key is right. */
  keyFault(headers: Headers): Response | null;
  /** Parses the body, or refuses it as the real API would. */
  read(body: Record<string, unknown>): Question | Response;
  answer(question: Question, modelAnswer: ModelAnswer): Response;
  rateLimited(): Response;
  invalid(message: string): Response;
};

const VISION_KEY = 'sandbox-vision';
const BROKEN = 'Here is what I can see:\n```json\n{"document_kind": "driver_licence", "given_na';

/** `POST /v1/chat/completions`, as offered by OpenAI and compatible servers. */
export const chatCompletions: Protocol = {
  keyFault: (headers) =>
    headers.get('authorization') === `Bearer ${VISION_KEY}`
      ? null
      : chatError(401, 'Incorrect API key provided', 'invalid_request_error', 'invalid_api_key'),
  read(body) {
    const { model, messages, response_format: format } = body;
    if (typeof model !== 'string' || model === '') return chatCompletions.invalid('you must provide a model parameter');
    if (!Array.isArray(messages) || messages.length === 0) return chatCompletions.invalid("'messages' is needed");
    if (body['stream'] === true) return chatCompletions.invalid('the sandbox does not stream');
    const responseFormat = toObject(format);
    const type = responseFormat['type'];
    if (format !== undefined && type !== 'text' && type !== 'json_object' && type !== 'json_schema')
      return chatCompletions.invalid("'response_format.type' is text, json_object or json_schema");
    const jsonSchema = toObject(responseFormat['json_schema']);
    if (type === 'json_schema') {
      if (typeof jsonSchema['name'] !== 'string' || !/^[\w-]{1,64}$/.test(jsonSchema['name']))
        return chatCompletions.invalid("'response_format.json_schema.name' is needed");
      const fault = jsonSchema['strict'] === true ? strictFault(jsonSchema['schema']) : null;
      if (fault !== null) return chatCompletions.invalid(`Invalid schema for response_format: ${fault}`);
    }
    const picture = picturesIn(messages)[0] ?? null;
    return { model, picture, schema: type === 'json_schema' ? jsonSchema['schema'] : null, tool: null };
  },
  answer(question, modelAnswer) {
    const content = 'refusal' in modelAnswer ? null : formatAnswer(question, modelAnswer);
    const message = { role: 'assistant', content, refusal: 'refusal' in modelAnswer ? modelAnswer.refusal : null };
    return Response.json({
      id: `chatcmpl-${randomUUID()}`,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: question.model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: 'broken' in modelAnswer ? 'length' : 'stop' }],
      usage: { prompt_tokens: 900, completion_tokens: 120, total_tokens: 1_020 },
    });
  },
  rateLimited: () => chatError(429, 'Rate limit reached', 'requests', 'rate_limit_exceeded', { 'retry-after': '1' }),
  invalid: (message) => chatError(400, message, 'invalid_request_error', null),
};

/** `POST /v1/messages`, as offered by Anthropic. */
export const messages: Protocol = {
  keyFault: (headers) =>
    headers.get('x-api-key') === VISION_KEY ? null : messagesError(401, 'authentication_error', 'invalid x-api-key'),
  read(body) {
    const { model, max_tokens: most, messages: sent, tool_choice: choice, output_config: config } = body;
    if (typeof model !== 'string' || model === '') return messages.invalid('model: field required');
    if (typeof most !== 'number' || most < 1) return messages.invalid('max_tokens: field required');
    if (!Array.isArray(sent) || sent.length === 0) return messages.invalid('messages: at least one is needed');
    if (body['stream'] === true) return messages.invalid('the sandbox does not stream');
    const tools: unknown[] = Array.isArray(body['tools']) ? body['tools'] : [];
    const forced = toObject(choice);
    const requested = forced['type'] === 'tool' ? forced['name'] : toObject(tools[0])['name'];
    const tool = tools.map(toObject).find((tool) => tool['name'] === requested);
    if (forced['type'] === 'tool' && !tool) return messages.invalid('tool_choice: no such tool');
    const format = toObject(toObject(config)['format']);
    if (config !== undefined && format['type'] !== 'json_schema')
      return messages.invalid('output_config.format.type: must be json_schema');
    return {
      model,
      picture: picturesIn(sent)[0] ?? null,
      schema: tool ? tool['input_schema'] : (format['schema'] ?? null),
      tool: typeof tool?.['name'] === 'string' ? tool['name'] : null,
    };
  },
  answer(question, modelAnswer) {
    const { tool } = question;
    const useTool = tool !== null && !('refusal' in modelAnswer);
    const input = 'reading' in modelAnswer ? shapedReading(question, modelAnswer.reading) : { document_kind: 7 };
    const content = useTool
      ? [{ type: 'tool_use', id: `toolu_${randomUUID()}`, name: tool, input }]
      : [{ type: 'text', text: 'refusal' in modelAnswer ? modelAnswer.refusal : formatAnswer(question, modelAnswer) }];
    const finished = 'broken' in modelAnswer ? 'max_tokens' : 'end_turn';
    return Response.json({
      id: `msg_${randomUUID()}`,
      type: 'message',
      role: 'assistant',
      model: question.model,
      content,
      stop_reason: 'refusal' in modelAnswer ? 'refusal' : useTool ? 'tool_use' : finished,
      stop_sequence: null,
      usage: { input_tokens: 900, output_tokens: 120 },
    });
  },
  rateLimited: () => messagesError(429, 'rate_limit_error', 'Rate limit reached', { 'retry-after': '1' }),
  invalid: (message) => messagesError(400, 'invalid_request_error', message),
};

function shapedReading(question: Question, reading: unknown): unknown {
  return question.schema === null ? reading : fill(question.schema, reading);
}

function formatAnswer(question: Question, modelAnswer: Exclude<ModelAnswer, { refusal: string }>): string {
  return 'reading' in modelAnswer ? JSON.stringify(shapedReading(question, modelAnswer.reading)) : BROKEN;
}

/** Returns the pictures in all message parts: `image_url.url` with a data address, or `source` in base64. */
function picturesIn(sent: readonly unknown[]): Uint8Array[] {
  const parts = sent.flatMap((message) => {
    const content = toObject(message)['content'];
    return Array.isArray(content) ? content.map(toObject) : [];
  });
  return parts.flatMap((part) => {
    const url = toObject(part['image_url'])['url'];
    const source = toObject(part['source']);
    const data = typeof url === 'string' ? /^data:image\/[\w+.-]+;base64,(.+)$/s.exec(url)?.[1] : source['data'];
    return typeof data === 'string' ? [Buffer.from(data, 'base64')] : [];
  });
}

function chatError(
  status: number,
  message: string,
  type: string,
  code: string | null,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error: { message, type, param: null, code } }, { status, headers });
}

function messagesError(status: number, type: string, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ type: 'error', error: { type, message } }, { status, headers });
}

function toObject(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}
