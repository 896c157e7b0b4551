import { type Slot, toSpan } from '#rules/slots.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import { useWaitlist } from '#web/data/finding/waitlist.ts';

/** Shows until when the selection is held for a customer who was on the wait list. Shows nothing for other hours. */
export function HeldNote({
  userId,
  studioId,
  slots,
  now,
}: {
  userId: string;
  studioId: string | null;
  slots: readonly Slot[];
  now: Date;
}) {
  const entries = useWaitlist(userId).data ?? [];
  const { start, end } = toSpan(slots);
  const until = entries.find(
    (entry) => entry.studioId === studioId && entry.start <= start && entry.end >= end && entry.claimUntil !== null,
  )?.claimUntil;
  if (!until || until <= now) return null;
  return (
    <p role="status" className="text-sm font-bold text-good">
      Held for you until {formatStudioTime(until)}.
    </p>
  );
}
