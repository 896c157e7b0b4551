import { z } from 'zod';
import type { Queryable } from '#server/db/database.ts';
import { defineJob, type Job, type JobDefinition, URGENT_WAIT_MS } from '../core/jobs.ts';
import { bookingCodes, liveCodes } from './booking-codes.ts';
import { removeCode } from './codes.ts';
import { guestCodes } from './guest-codes.ts';
import { type Code, type Holder, readCode } from './holder.ts';
import { staffCodes } from './staff-codes.ts';

/** The jobs that remove codes from their locks, one kind per holder. */
export const REMOVAL_JOBS: readonly JobDefinition[] = [
  // Without `codeId` the job removes all codes of the booking.
  defineRemoval(bookingCodes, {
    title: 'Door code removal',
    payload: z.object({ codeId: z.uuid().optional() }),
    read: async (db, { subjectId, payload }) =>
      (await liveCodes(db, subjectId)).filter(({ id }) => id === (payload.codeId ?? id)),
  }),
  defineRemoval(guestCodes, {
    title: 'Guest door code removal',
    payload: z.object({ codeId: z.uuid() }),
    longestWaitMs: URGENT_WAIT_MS,
    read: (db, { payload }) => readUnremoved(db, guestCodes, payload.codeId),
  }),
  defineRemoval(staffCodes, {
    title: 'Staff door code removal',
    payload: z.unknown(),
    longestWaitMs: URGENT_WAIT_MS,
    read: (db, { subjectId }) => readUnremoved(db, staffCodes, subjectId),
  }),
];

/** Defines a job that removes the codes returned by `read` from their locks. Throws `ProviderError`. */
function defineRemoval<C extends Code, Payload>(
  holder: Holder<C>,
  {
    read,
    ...rules
  }: Pick<JobDefinition, 'title' | 'longestWaitMs'> & {
    readonly payload: z.ZodType<Payload>;
    readonly read: (db: Queryable, job: Job<Payload>) => Promise<readonly C[]>;
  },
): JobDefinition {
  return defineJob({
    kind: holder.removalKind,
    worker: 'locks',
    ...rules,
    async handle(services, job) {
      for (const code of await read(services.db, job)) await removeCode(services, holder, code);
      return 'done';
    },
  });
}

async function readUnremoved<C extends Code>(db: Queryable, holder: Holder<C>, codeId: string): Promise<readonly C[]> {
  const code = await readCode(db, holder, codeId);
  return code === null || code.status === 'revoked' ? [] : [code];
}
