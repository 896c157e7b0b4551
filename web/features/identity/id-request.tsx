import type { ReactNode } from 'react';
import { describeMinor } from '#rules/identity.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Skeleton } from '#web/ui/notice.tsx';
import { decisionDay } from './decision-day.ts';
import { useIdStatus } from './status-query.ts';

/**
 * Explains why an ID is needed, that staff are reviewing the photo, or from when the customer can book. Shows the button unless the answer
 * is final.
 */
export function IdRequest({ userId, enabled, children }: { userId: string; enabled: boolean; children: ReactNode }) {
  const status = useIdStatus(userId, enabled);
  const now = useNow(60_000);
  const { email } = useBusiness();
  if (enabled && status.isPending) return <Skeleton className="h-24 w-full max-w-md" label="Loading your ID status" />;
  const { decidedBy = null, adultOn = null } = status.data ?? {};
  if (adultOn !== null) return <p>{describeMinor(adultOn, email)}</p>;
  return (
    <>
      <p className="mb-3">{decidedBy === null ? FIRST : inReview(decisionDay(decidedBy, now))}</p>
      {children}
    </>
  );
}

const FIRST = 'You need to be 18 or older. Show us your Australian driver licence. You only do this once.';

/** Returns a text about the review. `day`: the day by which staff decide, or null if it has passed. */
const inReview = (day: string | null): string =>
  `${
    day === null
      ? 'Someone on our team is checking your ID. Sorry, this is taking longer than we said.'
      : `Someone on our team is checking your ID and will decide by ${day}.`
  } You don’t have to wait: take a sharper photo, or use the online check.`;
