import { formatStudioDate } from '#rules/studio-time.ts';
import { useIdStatus } from './queries.ts';

/** Says why an ID is needed, or that staff are looking at the photo. */
export function IdRequest({ userId, wanted }: { userId: string; wanted: boolean }) {
  const decidedBy = useIdStatus(userId, wanted).data?.decidedBy;
  return decidedBy ? (
    <p>
      Someone on our team is checking your ID and will decide by {formatStudioDate(decidedBy)}. You don’t have to wait:
      take a sharper photo, or use the online check.
    </p>
  ) : (
    <p>You need to be 18 or older. Show us your Australian driver licence. You only do this once.</p>
  );
}
