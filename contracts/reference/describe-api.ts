import { z } from 'zod';
import type { Call } from '../core/define-call.ts';
import { toDescribed } from '../core/either-shape.ts';
import { listRefusals, REFUSAL_STATUS } from '../core/refusals.ts';

type Json = Readonly<Record<string, unknown>>;

/** A sentence for each kind of callers. */
const CALLERS = {
  everyone: 'Everyone with the public key of the site, or a token.',
  'signed-in': 'A signed-in account.',
  developers: 'Staff with the permission `settings`, where the developer pages are on.',
  provider: 'A provider, whose signature is verified. No token.',
  link: 'Everyone who has the address, which contains a secret. No token.',
} as const;

/** Returns a sentence about who may make a call. */
export const describeCallers = (call: Call): string =>
  call.callers === 'staff' ? `Staff with the permission \`${call.permission}\`.` : CALLERS[call.callers];

/** Describes calls as an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1). */
export function describeApi(calls: readonly Call[]): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Functions of the booking system',
      // The version in the path /functions/v1, not the version of the program.
      version: '1',
      description: 'Amounts are in Australian cents unless a field says dollars. Instants are ISO 8601.',
    },
    servers: [{ url: '/functions/v1' }],
    paths: Object.fromEntries(calls.map((call) => [`/${call.name}`, describePath(call)])),
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'apikey', description: 'The public key of the site.' },
        token: { type: 'http', scheme: 'bearer', description: 'The access token of an account, or the public key.' },
      },
      schemas: { Refusal: REFUSAL },
    },
  };
}

const REFUSAL: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', description: 'For programs.' },
        message: { type: 'string', description: 'For people.' },
        retryAfter: { type: 'integer', description: 'Seconds to wait before the next try.' },
      },
    },
  },
};

function describePath(call: Call): Json {
  const operation = {
    operationId: call.name,
    summary: `${call.summary.split('. ')[0]?.replace(/\.$/, '') ?? ''}.`,
    description: `${call.summary}\n\n${describeCallers(call)}`,
    security: call.callers === 'link' || call.callers === 'provider' ? [] : [{ key: [], token: [] }],
    responses: { ...describeAnswer(call), ...describeRefusals(call) },
  };
  const requestBody = {
    content: { 'application/json': { schema: toJsonSchema(call.body, 'input'), example: call.example.body } },
  };
  return Object.fromEntries(
    call.methods.map((method) => [
      method.toLowerCase(),
      method === 'GET' ? { ...operation, operationId: `read-${call.name}` } : { ...operation, requestBody },
    ]),
  );
}

/** Describes the JSON answer, unless the call only answers with files, and the content types of files. */
function describeAnswer({ answer, files = [], example }: Call): Json {
  const json = { schema: toJsonSchema(answer, 'output'), example: example.answer };
  const content = {
    ...(example.answer === undefined ? {} : { 'application/json': json }),
    ...Object.fromEntries(files.map((type) => [type, {}])),
  };
  return { '2XX': { description: 'The answer.', content } };
}

/** Describes one response for each status, with an example of each refusal. */
function describeRefusals(call: Call): Json {
  const byStatus = Map.groupBy(listRefusals(call), (code) => REFUSAL_STATUS[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\``).join(', '),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Refusal' },
            examples: Object.fromEntries(
              codes.flatMap((code) => {
                const example = call.refusals[code];
                return example === undefined ? [] : [[code, { value: { error: { code, ...example } } }]];
              }),
            ),
          },
        },
      },
    ]),
  );
}

/**
 * Returns the JSON schema of what is sent (`input`) or received (`output`). Rules that JSON schema cannot express, such as refinements, are
 * left out.
 */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...described } = z.toJSONSchema(toDescribed(schema), { io, unrepresentable: 'any' });
  return described;
}
