import type { Job, JobOutcome } from '../core/jobs.ts';
import type { IdentityContext } from './context.ts';

/** Job `image.delete`: deletes a photo that was kept for review. */
export async function deletePhoto({ db, store }: Pick<IdentityContext, 'db' | 'store'>, job: Job): Promise<JobOutcome> {
  const key = job.payload['key'];
  if (typeof key === 'string') await store.remove(key);
  await db.query(`update public.id_verifications set image_path = null where id = $1::uuid`, [job.subjectId]);
  return 'done';
}
