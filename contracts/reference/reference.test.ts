import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import * as contracts from '../calls.ts';
import { defineCall, type Call } from '../core/define-call.ts';
import { describeApi } from './describe-api.ts';
import { renderReference } from './reference-page.ts';

const calls: readonly Call[] = Object.values(contracts);

test.each(calls)(
  'the example of $name is a body that it accepts and an answer that it gives',
  ({ body, answer, files, example }) => {
    expect(body.safeParse(example.body).error?.issues).toBeUndefined();
    if (files === undefined || example.answer !== undefined)
      expect(answer.safeParse(example.answer).error?.issues).toBeUndefined();
  },
);

test('each call has a name of its own, a summary that is a sentence, and a message that begins with a capital with each refusal', () => {
  expect(new Set(calls.map(({ name }) => name)).size).toBe(calls.length);
  for (const { name, summary, refusals } of calls) {
    expect(summary, name).toMatch(/^[A-Z].*\.$/s);
    for (const [code, { message }] of Object.entries(refusals)) expect(message, `${name} ${code}`).toMatch(/^[A-Z“]/);
  }
});

test('the document of all calls is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(describeApi(calls)));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test('the document says who may make a call, what is sent and answered, and each refusal with its status', () => {
  const call = defineCall({
    name: 'open-box',
    summary: 'Opens a box. It stays open.',
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: { max: 1, seconds: 60 },
    body: z.object({ box: z.int().positive() }),
    answer: z.strictObject({ open: z.boolean() }),
    refusals: { not_found: { message: 'There is no such box.' } },
    example: { body: { box: 1 }, answer: { open: true } },
  });
  const { paths } = describeApi([call]);
  expect(paths).toMatchObject({
    '/open-box': {
      post: {
        summary: 'Opens a box.',
        description: 'Opens a box. It stays open.\n\nStaff with the permission `bookings`.',
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['box'],
                properties: { box: { type: 'integer', exclusiveMinimum: 0 } },
              },
              example: { box: 1 },
            },
          },
        },
        responses: {
          '2XX': { content: { 'application/json': { example: { open: true } } } },
          '404': {
            content: {
              'application/json': {
                examples: { not_found: { value: { error: { code: 'not_found', message: 'There is no such box.' } } } },
              },
            },
          },
          '403': { description: '`not_yours`, `second_factor_required`' },
        },
      },
    },
  });
});

/** After an intended change, run `node_modules/.bin/vitest run contracts/reference -u` with the project's Node and review the changes in the page. */
test('docs/functions.md is what the contracts say', async () => {
  await expect(renderReference(calls)).toMatchFileSnapshot('../../docs/functions.md');
});
