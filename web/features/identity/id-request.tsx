import { useNow } from '#web/lib/use-now.ts';
import { Skeleton } from '#web/ui/notice.tsx';
import { decisionDay } from './decision-day.ts';
import { useIdStatus } from './queries.ts';

/** Says why an ID is needed, or that staff are looking at the photo. */
export function IdRequest({ userId, wanted }: { userId: string; wanted: boolean }) {
  const status = useIdStatus(userId, wanted);
  const now = useNow(60_000);
  if (wanted && status.isPending) return <Skeleton className="h-6 w-full max-w-md" label="Loading your ID status" />;
  const decidedBy = status.data?.decidedBy;
  if (!decidedBy)
    return <p>You need to be 18 or older. Show us your Australian driver licence. You only do this once.</p>;
  const day = decisionDay(decidedBy, now);
  return (
    <p>
      {day === null
        ? 'Someone on our team is checking your ID. Sorry, this is taking longer than we said.'
        : `Someone on our team is checking your ID and will decide by ${day}.`}{' '}
      You don’t have to wait: take a sharper photo, or use the online check.
    </p>
  );
}
