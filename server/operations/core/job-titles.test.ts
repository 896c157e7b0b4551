import { expect, test } from 'vitest';
import { titleOfJob } from '#rules/alerts/jobs.ts';
import { JOB_RULES } from './jobs.ts';

test('every kind of job has a title for people', () => {
  const kinds = Object.keys(JOB_RULES);
  expect(kinds.length).toBeGreaterThan(40);
  expect(kinds.filter((kind) => titleOfJob(kind) === kind)).toEqual([]);
});
