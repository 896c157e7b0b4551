import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

/**
 * Returns the picture of an ID that waits for review, and logs that `actor` viewed it. Throws `Refusal('not_found')` if there is none, for
 * example because the ID has been decided.
 */
export async function viewPicture({ db, store }: Services, verificationId: string, actor: string): Promise<Uint8Array> {
  // Written before the picture is read, so that no picture is shown without a log entry.
  const waiting = await db.queryRow<{ key: string }>(
    `with waiting as (
       select v.id, v.image_path as key from public.id_verifications v
       where v.id = $1::uuid and v.verification_status = 'review' and v.image_path is not null)
     select w.key, private.audit($2::uuid, 'view', 'id_verification', w.id::text, '{}') as logged from waiting w`,
    [verificationId, actor],
  );
  const picture = waiting === null ? null : await store.get(waiting.key);
  if (picture === null) throw new Refusal('not_found', 'The picture has been deleted.');
  return picture;
}
