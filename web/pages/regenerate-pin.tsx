import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Copy, CopyCheck } from 'lucide-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { formatStudioDate, formatStudioRange, formatStudioTime, studioDate } from '#rules/studio-time.ts';
import { venue } from '#rules/venue.ts';
import { countdown, countdownLong, groupPin, pinPhase } from '#web/features/access/clock.ts';
import { type Access, askAccess } from '#web/features/access/queries.ts';
import { AppError, describeError } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { useNow } from '#web/lib/use-now.ts';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { toast } from '#web/ui/toast.tsx';

const BACK = { to: paths.home, label: 'Home' };
const ENDED = 'Your booking session has ended. You can no longer generate new PINs.';
const DAY_MS = 86_400_000;
/** How early customers are asked to arrive. */
const EARLY_MS = 600_000;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const codeOf = (error: unknown): string => (error instanceof AppError ? error.code : '');

export default function RegeneratePinPage() {
  const [search] = useSearchParams();
  const { status, user } = useSession();
  const bookingId = search.get('booking_id') ?? '';
  const token = search.get('token');
  const valid = ID.test(bookingId);
  const queryKey = ['access', bookingId, token, user?.id ?? ''];
  const access = useQuery({
    queryKey,
    queryFn: () => askAccess('GET', bookingId, token),
    enabled: valid && status !== 'loading',
    retry: (count, error) => count < 2 && codeOf(error) === 'offline',
    refetchInterval: (query) => {
      if (query.state.error && codeOf(query.state.error) !== 'offline') return false;
      return query.state.data?.pin === null ? 3_000 : 15_000;
    },
  });

  if (!valid) {
    return (
      <Shell back={BACK} title="Invalid Request">
        <Notice tone="bad">
          <p>No booking ID provided. Please use the link from your booking confirmation email.</p>
        </Notice>
        <Link to={paths.profile} className={`${buttonStyle.plain} mt-6`}>
          Your bookings
        </Link>
      </Shell>
    );
  }
  if (access.data) return <Pin access={access.data} token={token} queryKey={queryKey} />;
  if (!access.isError) return <Waiting label="Getting your code" />;
  return <Refused error={access.error} onRetry={() => void access.refetch()} />;
}

function Refused({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { status } = useSession();
  const { open } = useAuthDialog();
  const code = codeOf(error);
  if (code === 'session_ended') {
    return (
      <Shell back={BACK} title="Session Ended">
        <Notice tone="plain">
          <p>{ENDED}</p>
        </Notice>
        <div className="mt-6 flex flex-wrap gap-3">
          <Button disabled>Session Ended</Button>
          <Link to={paths.booking} className={buttonStyle.plain}>
            Book Another Session
          </Link>
        </div>
      </Shell>
    );
  }
  return (
    <Shell back={BACK} title="Access code">
      <Notice tone="bad">
        <p>{describeError(error, 'Failed to generate new PIN.')}</p>
        {code === 'not_yours' || code === 'not_found' ? (
          <p className="mt-2 text-sm text-fog">
            Please use the link from your access code email, or sign in with the account that booked.
          </p>
        ) : null}
      </Notice>
      <div className="mt-6 flex flex-wrap gap-3">
        {status === 'out' ? <Button onClick={() => open('sign-in')}>Sign In</Button> : null}
        <Button tone="plain" onClick={onRetry}>
          Try again
        </Button>
      </div>
    </Shell>
  );
}

function Pin({ access, token, queryKey }: { access: Access; token: string | null; queryKey: readonly unknown[] }) {
  const now = useNow(1_000);
  const client = useQueryClient();
  const end = new Date(access.booking.end_time);
  const start = new Date(access.booking.start_time);
  const phase = pinPhase(access, end, now);
  const waitSeconds = access.nextCodeAt ? Math.ceil((Date.parse(access.nextCodeAt) - now.getTime()) / 1000) : 0;
  const renew = useMutation({
    mutationFn: () => askAccess('POST', access.booking.id, token),
    onSuccess: (fresh) => {
      client.setQueryData(queryKey, fresh);
      toast({
        title: 'New PIN generated',
        description: access.singleUse ? 'Your old PIN no longer opens the door.' : '',
      });
    },
    onError: (error) => {
      const description =
        codeOf(error) === 'session_ended' ? ENDED : describeError(error, 'Failed to generate new PIN.');
      toast({ title: 'Error', description, tone: 'bad' });
      void client.invalidateQueries({ queryKey });
    },
  });
  const problem = renew.isError && phase !== 'ended' ? describeError(renew.error, 'Failed to generate new PIN.') : null;
  const noneLeft = access.codesLeft === 0;

  return (
    <Shell back={BACK} title={access.booking.studio_name} lead={<p>{formatStudioRange(start, end)} (Sydney time)</p>}>
      <p className="flex items-baseline gap-3" role="timer">
        <span className="text-sm text-fog">
          {phase === 'ended' ? 'Session Ended' : now < start ? 'Starts in' : 'Time remaining'}
        </span>
        {phase === 'ended' ? null : (
          <span className="text-2xl font-bold tabular-nums">
            {countdownLong((now < start ? start : end).getTime() - now.getTime())}
          </span>
        )}
      </p>
      <CodeBoard access={access} phase={phase} now={now} start={start} />
      <div className="mt-6 space-y-3">
        <NewPin
          ended={phase === 'ended'}
          busy={renew.isPending}
          disabled={phase === 'ended' || phase === 'waiting' || waitSeconds > 0 || noneLeft}
          // A reusable code keeps working next to the new one.
          ends={phase === 'shown' && access.singleUse ? access.pin : null}
          needed={phase === 'used'}
          onRenew={() => renew.mutate()}
        />
        {waitSeconds > 0 && phase !== 'ended' ? (
          <p className="text-sm text-fog tabular-nums">
            You can make a new PIN in {waitSeconds} {waitSeconds === 1 ? 'second' : 'seconds'}.
          </p>
        ) : null}
        {problem ? (
          <Notice tone="bad">
            <p>{problem}</p>
          </Notice>
        ) : null}
        {phase === 'ended' ? null : (
          <p className="text-sm text-fog">
            {access.singleUse
              ? 'Each PIN is single-use: the door locks behind you, and a new PIN lets you in again.'
              : 'This lock takes the same PIN again until your session ends.'}{' '}
            {noneLeft
              ? `You can’t make any more. Please email ${venue.email}.`
              : `You can make ${access.codesLeft} more.`}
          </p>
        )}
        <p className="text-sm text-fog">Booking reference {access.booking.reference}</p>
      </div>
    </Shell>
  );
}

/**
 * Button Generate New PIN. Asks first when the new PIN would end one that works: a friend may be using it at the door.
 */
function NewPin({
  ended,
  busy,
  disabled,
  ends,
  needed,
  onRenew,
}: {
  ended: boolean;
  busy: boolean;
  disabled: boolean;
  /** PIN that would stop working; null when none would. */
  ends: string | null;
  /** No PIN works, so this button is the main action. */
  needed: boolean;
  onRenew: () => void;
}) {
  const [asking, setAsking] = useState(false);
  if (ended) return <Button disabled>Session Ended</Button>;
  return (
    <>
      <Button
        tone={needed ? 'signal' : 'plain'}
        busy={busy}
        disabled={disabled}
        onClick={() => (ends === null ? onRenew() : setAsking(true))}
      >
        Generate New PIN
      </Button>
      <Dialog open={asking && ends !== null} title="Replace your PIN?" onClose={() => setAsking(false)}>
        <p>
          <strong className="tabular-nums">{ends === null ? '' : groupPin(ends).join(' ')}</strong> still works. If you
          make a new PIN, this one stops working, even for friends you sent it to.
        </p>
        <div className="mt-6 flex flex-wrap gap-3">
          <Button onClick={() => setAsking(false)}>Keep this PIN</Button>
          <Button
            tone="plain"
            onClick={() => {
              setAsking(false);
              onRenew();
            }}
          >
            Make a new one
          </Button>
        </div>
      </Dialog>
    </>
  );
}

/** Shows the code, or when it comes. */
function CodeBoard({
  access,
  phase,
  now,
  start,
}: {
  access: Access;
  phase: ReturnType<typeof pinPhase>;
  now: Date;
  start: Date;
}) {
  const release = new Date(access.releaseAt);
  return (
    <section
      aria-label="Access code"
      aria-live="polite"
      className={`mt-4 border-t-4 bg-booth p-5 sm:p-8 ${phase === 'shown' ? 'border-signal' : 'border-line'}`}
    >
      {phase === 'shown' && access.pin !== null ? (
        <>
          <p className="text-sm text-fog">Current PIN</p>
          <Digits pin={access.pin} />
          <p className="mt-3">
            Your code works from <strong>{when(new Date(access.worksFrom), start)}</strong> to{' '}
            <strong>{when(new Date(access.worksUntil), start)}</strong> <span className="text-fog">(Sydney time)</span>
          </p>
          {now < new Date(access.worksFrom) ? <EarlyNote access={access} start={start} /> : null}
          <CopyPin key={access.pin} pin={access.pin} />
        </>
      ) : null}
      {phase === 'ended' ? <p className="text-fog">{ENDED}</p> : null}
      {phase === 'waiting' ? (
        <>
          <p className="text-fog">
            Your code will appear here at <strong className="text-chalk">{when(release, now)}</strong> (Sydney time),
            and we’ll email it to you then.
          </p>
          <EarlyNote access={access} start={start} />
          {release.getTime() - now.getTime() < DAY_MS ? (
            <p aria-live="off" className="mt-4 text-5xl font-extrabold tabular-nums sm:text-7xl">
              {countdown(release.getTime() - now.getTime())}
            </p>
          ) : null}
        </>
      ) : null}
      {phase === 'asking' ? (
        <p className="text-fog">We’re getting your code from the lock. It will appear here automatically.</p>
      ) : null}
      {phase === 'used' ? (
        <p className="text-fog">
          Your last PIN was used, or the lock hasn’t answered yet. Generate a new one to get in.
        </p>
      ) : null}
    </section>
  );
}

/** Says from when the code works, and why when that is later than the suggested arrival. */
function EarlyNote({ access, start }: { access: Access; start: Date }) {
  const works = new Date(access.worksFrom);
  const later = start.getTime() - works.getTime() < EARLY_MS;
  return (
    <p className="mt-2 text-fog">
      {later ? 'Arrive 10 minutes early to park and unload. ' : ''}Your code opens the door from{' '}
      <strong className="text-chalk">{formatStudioTime(works)}</strong>
      {later ? ', so the people before you can finish in peace.' : '.'}
    </p>
  );
}

/** Formats "6:55 pm", with the day when it differs from that of `near`. */
function when(at: Date, near: Date): string {
  const day = studioDate(at) === studioDate(near) ? '' : ` on ${formatStudioDate(at, 'medium')}`;
  return `${formatStudioTime(at)}${day}`;
}

/** Shows the digits in groups; the text itself has no spaces, so that it can be copied. */
function Digits({ pin }: { pin: string }) {
  return (
    <p
      data-testid="pin"
      className="my-1 flex gap-[0.32em] text-[min(15vw,5.5rem)] leading-none font-extrabold tabular-nums"
    >
      {groupPin(pin).map((group, at) => (
        <span key={`${at}-${group}`}>{group}</span>
      ))}
    </p>
  );
}

function CopyPin({ pin }: { pin: string }) {
  const [copied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(pin);
      setCopied(true);
    } catch (error) {
      // oxlint-disable-next-line no-console
      console.warn('the PIN could not be copied', error instanceof Error ? error.name : ''); // only logged
    }
  }
  const Sign = copied ? CopyCheck : Copy;
  return (
    <Button className="mt-5 max-sm:w-full" onClick={() => void copy()}>
      <Sign aria-hidden="true" className="size-5" />
      {copied ? 'Copied' : 'Copy PIN'}
    </Button>
  );
}
