import type { ReactNode } from 'react';
import { formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { HeldCode } from '#web/lib/business/held-code.tsx';
import { DirectionsPhoto } from '#web/lib/business/directions-photo.tsx';
import { useNow } from '#web/lib/use-now.ts';
import { mapUrl } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { countdownLong, groupPin, pinPhase } from './clock.ts';
import { DOOR_LOCKS, NO_PIN } from './code-board.tsx';
import type { Access } from './queries.ts';
import { ENDED } from './use-access-code.ts';
import { useWakeLock } from './use-wake-lock.ts';

/**
 * Shows the code for one-handed use at night: black on white, as large as possible, with the screen kept on. `offline`: the code is the
 * copy that this browser has kept.
 */
export function DoorScreen({
  access,
  offline,
  back,
  session,
  children,
}: {
  access: Access;
  offline: boolean;
  back: string;
  /** Content for a customer who is in the room. */
  session?: ReactNode;
  children?: ReactNode;
}) {
  const now = useNow(1_000);
  const [start, end] = [new Date(access.booking.start_time), new Date(access.booking.end_time)];
  const phase = pinPhase(access, end, now);
  const until = now < start ? start : end;
  useWakeLock(phase !== 'ended');
  return (
    <main className="flex min-h-dvh flex-col bg-white px-5 pt-5 pb-8 text-black [color-scheme:light] sm:px-10">
      <h1 className="text-[min(13vw,5rem)] leading-none font-extrabold">{access.booking.studio_name}</h1>
      <p className="mt-2 text-lg">{formatStudioRange(start, end)} (Sydney time)</p>
      {phase === 'ended' ? null : (
        <p role="timer" className="mt-1 text-lg">
          {now < start ? 'Starts in ' : 'Time remaining '}
          <strong className="tabular-nums">{countdownLong(until.getTime() - now.getTime())}</strong>
        </p>
      )}
      <section aria-label="Access code" aria-live="polite" className="mt-auto pt-8">
        <Code access={access} phase={phase} now={now} />
      </section>
      {offline ? (
        <p role="status" className="mt-4 border-l-4 border-black pl-3">
          No connection. This is what we last showed you, and it works without one.
        </p>
      ) : null}
      {session === undefined ? null : <div className="mt-8 empty:hidden">{session}</div>}
      <Way />
      {phase === 'ended' || phase === 'held' ? null : children}
      <Link to={back} className="mt-6 inline-flex min-h-12 items-center font-semibold underline">
        Back to your code page
      </Link>
    </main>
  );
}

function Code({ access, phase, now }: { access: Access; phase: ReturnType<typeof pinPhase>; now: Date }) {
  if (phase === 'ended') return <p className="text-xl">{ENDED}</p>;
  if (phase === 'held')
    return (
      <div className="text-xl">
        <HeldCode />
      </div>
    );
  if (phase === 'waiting')
    return (
      <p className="text-xl">
        Your code will appear here at <strong>{formatStudioTime(new Date(access.releaseAt))}</strong>.
      </p>
    );
  if (phase === 'requesting') return <p className="text-xl">We’re getting your code from the lock.</p>;
  if (phase === 'opened')
    return (
      <>
        <p className="text-[min(18vw,8rem)] leading-none font-extrabold">You’re in</p>
        <p className="mt-3 text-xl">{DOOR_LOCKS}</p>
      </>
    );
  if (phase === 'none' || access.pin === null) return <p className="text-xl">{NO_PIN}</p>;
  const works = new Date(access.worksFrom);
  return (
    <>
      <p
        data-testid="pin"
        className="flex flex-wrap gap-x-[0.3em] text-[min(21vw,11rem)] leading-none font-extrabold tabular-nums"
      >
        {groupPin(access.pin).map((group, index) => (
          <span key={`${index}-${group}`}>{group}</span>
        ))}
      </p>
      <p className="mt-3 text-lg">
        {now < works ? `Opens the door from ${formatStudioTime(works)}` : 'Opens the door now'}, until{' '}
        {formatStudioTime(new Date(access.worksUntil))}.
      </p>
    </>
  );
}

/** Shows how to find the door. */
function Way() {
  const { address, directions } = useBusiness();
  return (
    <section aria-label="Getting here" className="mt-6 space-y-3 text-lg">
      <p>
        {address}
        <a
          href={mapUrl(address)}
          target="_blank"
          rel="noreferrer"
          className="ml-3 inline-flex min-h-12 items-center font-semibold underline"
        >
          Open the map
        </a>
      </p>
      {directions === '' ? null : <p className="whitespace-pre-line">{directions}</p>}
      <DirectionsPhoto />
    </section>
  );
}
