import { z } from 'zod';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import type { IdentityContext } from './context.ts';

/** Job `image.delete`: deletes a photo that was kept for review. */
export async function deletePhoto(
  { db, store }: Pick<IdentityContext, 'db' | 'store'>,
  job: Job<{ key: string | null }>,
): Promise<JobOutcome> {
  const { key } = job.payload;
  if (key !== null) await store.remove(key);
  await db.query(`update public.id_verifications set image_path = null where id = $1::uuid`, [job.subjectId]);
  return 'done';
}

export const deletePhotoJob = defineJob({
  kind: 'image.delete',
  worker: 'images',
  payload: z.object({ key: z.string().nullable().default(null) }),
  handle: ({ identity }: { identity: Pick<IdentityContext, 'db' | 'store'> }, job) => deletePhoto(identity, job),
});
