import { formatStudioRange } from '#rules/studio-time.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { FindUs } from '#web/lib/business/find-us.tsx';
import { describeError } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Notice } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { Link } from '#web/router/router.tsx';
import { buttonStyle } from '#web/ui/button.tsx';
import { countdownLong, type PinPhase, pinPhase } from './clock.ts';
import { CodeBoard } from './code-board.tsx';
import { NewPin } from './new-pin.tsx';
import type { Access } from './queries.ts';
import { FAILED, useNewPin } from './use-access-code.ts';

const BACK = { to: paths.home, label: 'Home' };

/** Shows the remaining time, the access code and the button for a new one. */
export function PinPanel({ access, token }: { access: Access; token: string | null }) {
  const now = useNow(1_000);
  const { email } = useBusiness();
  const [start, end] = [new Date(access.booking.start_time), new Date(access.booking.end_time)];
  const phase = pinPhase(access, end, now);
  const waitSeconds = access.nextCodeAt ? Math.ceil((Date.parse(access.nextCodeAt) - now.getTime()) / 1000) : 0;
  const renew = useNewPin(access.booking.id, token);
  const ended = phase === 'ended';
  return (
    <Shell back={BACK} title={access.booking.studio_name} lead={<p>{formatStudioRange(start, end)} (Sydney time)</p>}>
      <Remaining phase={phase} now={now} start={start} end={end} />
      <CodeBoard access={access} phase={phase} now={now} start={start} />
      {ended ? null : (
        <Link to={paths.door(access.booking.id, token)} className={`${buttonStyle.plain} mt-4 w-full sm:w-auto`}>
          I’m here
        </Link>
      )}
      <div className="mt-6 space-y-3">
        <NewPin
          ended={ended}
          busy={renew.isPending}
          disabled={ended || phase === 'held' || phase === 'waiting' || waitSeconds > 0 || access.codesLeft === 0}
          // A reusable code keeps working next to the new one.
          ends={phase === 'shown' && access.singleUse ? access.pin : null}
          needed={phase === 'none'}
          onRenew={() => renew.mutate()}
        />
        {waitSeconds > 0 && !ended ? (
          <p className="text-sm text-fog tabular-nums">
            You can make a new PIN in {waitSeconds} {waitSeconds === 1 ? 'second' : 'seconds'}.
          </p>
        ) : null}
        {renew.isError && !ended ? (
          <Notice tone="bad">
            <p>
              {describeError(renew.error, FAILED)}
              {phase === 'shown' ? ' The PIN above still works.' : ''}
            </p>
          </Notice>
        ) : null}
        {ended || phase === 'held' ? null : <p className="text-sm text-fog">{howManyMore(access, email)}</p>}
        <p className="text-sm text-fog">
          Booking reference{' '}
          <Link to={paths.ownBooking(access.booking.reference)} className="inline-block min-h-6 underline">
            {access.booking.reference}
          </Link>
        </p>
      </div>
      {ended ? null : <FindUs />}
    </Shell>
  );
}

function Remaining({ phase, now, start, end }: { phase: PinPhase; now: Date; start: Date; end: Date }) {
  const until = now < start ? start : end;
  return (
    <p className="flex items-baseline gap-3" role="timer">
      <span className="text-sm text-fog">
        {phase === 'ended' ? 'Session Ended' : now < start ? 'Starts in' : 'Time remaining'}
      </span>
      {phase === 'ended' ? null : (
        <span className="text-2xl font-bold tabular-nums">{countdownLong(until.getTime() - now.getTime())}</span>
      )}
    </p>
  );
}

function howManyMore({ singleUse, codesLeft }: Access, email: string): string {
  const use = singleUse
    ? 'Each PIN is single-use: the door locks behind you, and a new PIN lets you in again.'
    : 'This lock takes the same PIN again until your session ends.';
  const more = codesLeft === 0 ? `You can’t make any more. Please email ${email}.` : `You can make ${codesLeft} more.`;
  return `${use} ${more}`;
}
