import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { bookingQuery } from '#rules/finding/booking-link.ts';
import { describeSpan } from '#rules/finding/span-words.ts';
import { slotsOfSpan } from '#rules/slots.ts';
import { formatStudioTime, studioDate } from '#rules/studio-time.ts';
import { leaveWaitlist, useWaitlist, type WaitlistEntry } from '#web/data/finding/waitlist.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { paths } from '#web/lib/paths.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Link } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { LoadFailed } from '#web/ui/notice.tsx';

/** Lists the hours that are held for the customer (`held`), or those for which the customer is still waiting. Shows nothing if there are none. */
export function OwnEntries({ userId, held = false }: { userId: string; held?: boolean }) {
  const id = useId();
  const entries = useWaitlist(userId);
  const now = useNow(15_000);
  if (entries.isError)
    return held ? null : (
      <LoadFailed title="Your wait list could not be loaded." onRetry={() => void entries.refetch()} />
    );
  const isHeld = ({ claimUntil }: WaitlistEntry): boolean => claimUntil !== null && claimUntil > now;
  const list = (entries.data ?? []).filter((entry) => isHeld(entry) === held);
  if (list.length === 0) return null;
  return (
    <section aria-labelledby={id} className={held ? 'mb-10' : 'mt-10'}>
      <h2 id={id} className="mb-4 text-2xl">
        {held ? 'Held for you' : 'Wait list'}
      </h2>
      <ul className="space-y-3">
        {list.map((entry) => (
          <Entry key={entry.id} entry={entry} held={held} now={now} />
        ))}
      </ul>
    </section>
  );
}

function Entry({ entry, held, now }: { entry: WaitlistEntry; held: boolean; now: Date }) {
  const { id, studioId, studioName, start, end, claimUntil } = entry;
  const leave = useMutation({
    mutationFn: () => leaveWaitlist(id),
    meta: {
      failure: 'Please try again in a moment.',
      invalidates: [queryKeys.waitlist.all, queryKeys.availability.all],
    },
  });
  return (
    <li className={`border-l-4 bg-booth p-5 ${held ? 'border-good' : 'border-line'}`}>
      <p>
        <strong className="text-xl">{studioName}</strong>, {describeSpan(start, end, studioDate(now))}{' '}
        <span className="text-dust">(Sydney time)</span>
      </p>
      <p role="status" className={held ? 'mt-1 font-bold text-good' : 'mt-1 text-sm text-fog'}>
        {held && claimUntil !== null
          ? `It’s free, and yours until ${formatStudioTime(claimUntil)}.`
          : 'We’ll email you when it’s free.'}
      </p>
      <div className="mt-3 flex flex-wrap gap-3">
        {held ? (
          <Link
            to={`${paths.booking}${bookingQuery({ studioId, slots: slotsOfSpan(start, end) ?? [] })}`}
            className={buttonStyle.signal}
          >
            Book these hours
          </Link>
        ) : null}
        <Button tone="quiet" busy={leave.isPending} onClick={() => leave.mutate()}>
          {held ? 'No, thanks' : 'Leave the wait list'}
        </Button>
      </div>
    </li>
  );
}
