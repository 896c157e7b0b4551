import { z } from 'zod';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import type { Services } from '../core/services.ts';

/** Job `image.delete`: deletes a photo that was kept for review. */
export async function deletePhoto({ db, store }: Services, job: Job<{ key: string | null }>): Promise<JobOutcome> {
  const { key } = job.payload;
  if (key !== null) await store.remove(key);
  await db.query(`update public.id_verifications set image_path = null where id = $1::uuid`, [job.subjectId]);
  return 'done';
}

export const deletePhotoJob = defineJob({
  kind: 'image.delete',
  title: 'ID photo deletion',
  worker: 'images',
  payload: z.object({ key: z.string().nullable().default(null) }),
  handle: (services, job) => deletePhoto(services, job),
});
