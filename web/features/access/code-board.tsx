import { Copy, CopyCheck } from 'lucide-react';
import { useState } from 'react';
import { describeArrival } from '#rules/access.ts';
import { formatStudioTime, formatTimeNear } from '#rules/studio-time.ts';
import { HeldCode } from '#web/lib/business/held-code.tsx';
import { Button } from '#web/ui/button.tsx';
import { countdown, groupPin, type PinPhase } from './clock.ts';
import type { Access } from './queries.ts';
import { ENDED } from './use-access-code.ts';

const DAY_MS = 86_400_000;
/** How to get back in after the door locks. */
export const DOOR_LOCKS = 'The door locks behind you. Going out? Make a new PIN to get back in.';
export const NO_PIN = 'No PIN works right now. Make a new one to get in.';

/** Shows the code, or when it will arrive. */
export function CodeBoard({ access, phase, now, start }: { access: Access; phase: PinPhase; now: Date; start: Date }) {
  const release = new Date(access.releaseAt);
  const end = new Date(access.booking.end_time);
  const arrival = describeArrival(start, new Date(access.worksFrom));
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
            Your code works from <strong>{formatTimeNear(new Date(access.worksFrom), start)}</strong> to{' '}
            <strong>{formatTimeNear(new Date(access.worksUntil), start)}</strong>
          </p>
          {now < new Date(access.worksFrom) ? <p className="mt-2 text-fog">{arrival}</p> : null}
          <CopyPin key={access.pin} pin={access.pin} />
        </>
      ) : null}
      {phase === 'ended' ? <p className="text-fog">{ENDED}</p> : null}
      {phase === 'held' ? <HeldCode /> : null}
      {phase === 'waiting' ? (
        <>
          <p className="text-fog">
            Your code will appear here at <strong className="text-chalk">{formatTimeNear(release, now)}</strong>, and
            we’ll email it to you then.
          </p>
          <p className="mt-2 text-fog">{arrival}</p>
          {release.getTime() - now.getTime() < DAY_MS ? (
            <p aria-live="off" className="mt-4 text-5xl font-extrabold tabular-nums sm:text-7xl">
              {countdown(release.getTime() - now.getTime())}
            </p>
          ) : null}
        </>
      ) : null}
      {phase === 'requesting' ? (
        <p className="text-fog">We’re getting your code from the lock. It will appear here automatically.</p>
      ) : null}
      {phase === 'opened' && access.openedAt ? (
        <>
          <p className="text-4xl font-extrabold sm:text-5xl">You’re in</p>
          <p className="mt-3">
            <strong className="tabular-nums" aria-live="off">
              {countdown(end.getTime() - now.getTime())}
            </strong>{' '}
            left, until {formatStudioTime(end)}. The door opened at {formatStudioTime(new Date(access.openedAt))}.
          </p>
          <p className="mt-2 text-fog">{DOOR_LOCKS}</p>
        </>
      ) : null}
      {phase === 'none' ? <p className="text-fog">{NO_PIN}</p> : null}
    </section>
  );
}

/** Shows the digits in groups; the text itself has no spaces, so that it can be copied. */
function Digits({ pin }: { pin: string }) {
  return (
    <p
      data-testid="pin"
      className="my-1 flex gap-[0.32em] text-[min(15vw,5.5rem)] leading-none font-extrabold tabular-nums"
    >
      {groupPin(pin).map((group, index) => (
        <span key={`${index}-${group}`}>{group}</span>
      ))}
    </p>
  );
}

/** Shows the digits of a code with a button that copies them. */
export function PinDigits({ pin }: { pin: string }) {
  return (
    <>
      <Digits pin={pin} />
      <CopyPin key={pin} pin={pin} />
    </>
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
