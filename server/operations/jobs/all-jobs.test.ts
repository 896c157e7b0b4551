import { expect, test } from 'vitest';
import { z } from 'zod';
import { JOB_TITLES } from '#rules/alerts/jobs.ts';
import type { Job } from '#server/queue/jobs.ts';
import { defineJob } from '../core/jobs.ts';
import { ALL_JOBS } from './all-jobs.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

const claimed = (payload: Job['payload']): Job => ({
  id: 'j1',
  kind: 'image.delete',
  subjectId: 's1',
  recipient: null,
  payload,
  dueAt: new Date(0),
  deadlineAt: null,
  tries: 1,
});

test('every kind of job that has a title is defined exactly once', () => {
  expect(ALL_JOBS.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(JOB_TITLES).toSorted());
});

test('a handler gets its services and the parsed payload; a payload that breaks the schema fails before it', async () => {
  const handled: unknown[] = [];
  const job = defineJob({
    kind: 'image.delete',
    worker: 'images',
    payload: z.object({ at: z.coerce.date(), key: z.string().default('none') }),
    handle: async (services, { subjectId, payload }) => {
      handled.push([services.siteUrl, subjectId, payload]);
      return 'done';
    },
  });
  const services = servicesWith({ siteUrl: 'https://studio.example' });
  expect(await job.handle(services, claimed({ at: '2031-05-02T00:00:00Z' }))).toBe('done');
  expect(handled).toEqual([['https://studio.example', 's1', { at: new Date('2031-05-02T00:00:00Z'), key: 'none' }]]);
  await expect(job.handle(services, claimed({ at: 'soon' }))).rejects.toThrow('at');
  expect(handled).toHaveLength(1);
});

test('the handler of a kind without a schema gets no payload', async () => {
  const job = defineJob({
    kind: 'image.delete',
    worker: 'images',
    handle: (_services, { payload }) => Promise.resolve(payload === undefined ? 'done' : { closed: 'seen' }),
  });
  expect(await job.handle(servicesWith({}), claimed({ secret: 1 }))).toBe('done');
});
