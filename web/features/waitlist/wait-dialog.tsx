import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { runFrom } from '#rules/finding/booking-link.ts';
import { describeSpan } from '#rules/finding/span-words.ts';
import { type Slot, slotLabel, toSpan } from '#rules/slots.ts';
import { formatStudioDate, slotStart, type StudioDate, studioDate } from '#rules/studio-time.ts';
import { joinWaitlist } from '#web/data/finding/waitlist.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useAuthDialog } from '#web/data/session.tsx';
import { isRefused } from '#web/lib/errors.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { Button } from '#web/ui/button.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { Dialog } from '#web/ui/dialog.tsx';

/** The longest span that the page offers for the wait list, in hours. */
const LONGEST = 8;

/** Lets the customer choose which taken hours of a day to wait for, starting with the pressed hour, and join the wait list. */
export function WaitDialog({
  studio,
  first,
  count: proposed,
  userId,
  now,
  onClose,
}: {
  studio: { readonly id: string; readonly name: string };
  first: Slot;
  /** The number of hours to propose. */
  count: number;
  userId: string | null;
  now: Date;
  onClose: () => void;
}) {
  const hours = hoursToCome(first.date, now);
  const [hour, setHour] = useState(hours.includes(first.hour) ? first.hour : (hours[0] ?? first.hour));
  const [count, setCount] = useState(Math.min(proposed, LONGEST));
  const { open } = useAuthDialog();
  const { start, end } = toSpan(runFrom({ date: first.date, hour }, count));
  const join = useMutation({
    mutationFn: () => joinWaitlist({ studioId: studio.id, startTime: start.toISOString(), endTime: end.toISOString() }),
    meta: { handled: true, invalidates: [queryKeys.waitlist.all] },
    onError: (error) => void (isRefused<'join-waitlist'>(error, 'not_signed_in') && open('sign-in')),
  });
  const span = describeSpan(start, end, studioDate(now));
  return (
    <Dialog open title="Tell me when it’s free" onClose={onClose}>
      {join.isSuccess ? (
        <Joined span={span} studio={studio.name} ahead={join.data.ahead} onClose={onClose} />
      ) : (
        <div className="space-y-5">
          <p className="text-fog">
            {studio.name}, {formatStudioDate(first.date)}. When all of these hours are free, we email you. If your ID is
            verified, we hold them for you for 15 minutes, once a day. You pay nothing unless you book.
          </p>
          <div className="grid grid-cols-2 gap-3">
            <SelectField
              label="From"
              value={hour}
              options={hours.map((at) => ({ value: String(at), label: slotLabel(at) }))}
              onChange={({ target }) => setHour(Number(target.value))}
            />
            <SelectField
              label="For"
              value={count}
              options={Array.from({ length: LONGEST }, (_, index) => ({
                value: String(index + 1),
                label: index === 0 ? '1 hour' : `${index + 1} hours`,
              }))}
              onChange={({ target }) => setCount(Number(target.value))}
            />
          </div>
          <p aria-live="polite">
            <strong>{span}</strong> <span className="text-dust">(Sydney time)</span>
          </p>
          <Failure action={join} text="That didn’t work. Please try again." />
          {userId === null ? (
            <Button onClick={() => open('sign-in')}>Sign in to join the wait list</Button>
          ) : (
            <Button busy={join.isPending} onClick={() => join.mutate()}>
              Tell me when it’s free
            </Button>
          )}
        </div>
      )}
    </Dialog>
  );
}

/** Lists the hours of a day that have not begun. */
const hoursToCome = (date: StudioDate, now: Date): number[] =>
  Array.from({ length: 24 }, (_, index) => index).filter((at) => (slotStart(date, at) ?? now) > now);

function Joined({
  span,
  studio,
  ahead,
  onClose,
}: {
  span: string;
  studio: string;
  ahead: number;
  onClose: () => void;
}) {
  return (
    <div className="space-y-5">
      <p role="status">
        You’re on the wait list for {studio}, <strong>{span}</strong>.{' '}
        {ahead === 0 ? 'You’re first in line.' : `${ahead} ${ahead === 1 ? 'person is' : 'people are'} ahead of you.`}
      </p>
      <p className="text-fog">
        We’ll email you. You’ll find it under{' '}
        <Link to={paths.bookings} className="underline underline-offset-4">
          your bookings
        </Link>
        , where you can leave the list.
      </p>
      <Button tone="plain" onClick={onClose}>
        Done
      </Button>
    </div>
  );
}
