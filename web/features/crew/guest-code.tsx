import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatStudioTime, formatTimeNear } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { Button } from '#web/ui/button.tsx';
import { type GuestAccess, type GuestPage, makeGuestCode } from './queries.ts';

/** The access code of a guest. Until its release, shows when it will arrive. */
export function GuestCode({
  access,
  booking,
  token,
  now,
  showPin,
}: {
  access: GuestAccess;
  booking: GuestPage['booking'];
  token: string;
  now: Date;
  showPin: (pin: string) => ReactNode;
}) {
  const phase = getPhase(access, now);
  return (
    <section
      aria-label="The way in"
      aria-live="polite"
      className={`border-t-4 bg-booth p-5 sm:p-8 ${phase === 'shown' ? 'border-signal' : 'border-line'}`}
    >
      {phase === 'shown' && access.pin !== null ? (
        <>
          <p className="text-sm text-fog">{access.own ? 'Your own PIN' : 'The PIN of your crew'}</p>
          {showPin(access.pin)}
          <p className="mt-3">
            It opens the door from <strong>{formatTimeNear(access.worksFrom, booking.startTime)}</strong> to{' '}
            <strong>{formatTimeNear(access.worksUntil, booking.startTime)}</strong>.
            {access.singleUse ? ' Each PIN works once: the door locks behind you.' : ''}
          </p>
        </>
      ) : null}
      {phase === 'held' ? (
        <p>The code for this session is on hold. Please talk to your host before you come: they know whom to call.</p>
      ) : null}
      {phase === 'waiting' ? (
        <p>
          Your PIN appears here at <strong>{formatTimeNear(access.releaseAt, now)}</strong>. Keep this link: it is your
          way in.
        </p>
      ) : null}
      {phase === 'requesting' ? (
        <p className="text-fog">
          {access.own
            ? 'We’re getting your PIN from the lock. It will appear here automatically.'
            : 'There is no PIN right now. When your host makes a new one, it appears here.'}
        </p>
      ) : null}
      {phase === 'used' ? <NextCode access={access} token={token} now={now} /> : null}
    </section>
  );
}

function NextCode({ access, token, now }: { access: GuestAccess; token: string; now: Date }) {
  const client = useQueryClient();
  const make = useMutation({
    mutationFn: () => makeGuestCode(token),
    meta: { handled: true, invalidates: [] },
    onSuccess: (page) => client.setQueryData(queryKeys.guestPage.of(token), page),
  });
  const waitSeconds = access.nextCodeAt ? Math.ceil((access.nextCodeAt.getTime() - now.getTime()) / 1000) : 0;
  return (
    <>
      {access.openedAt === null ? (
        <p>No PIN works right now. Make a new one to get in.</p>
      ) : (
        <p>
          <strong>You’re in.</strong> The door opened at {formatStudioTime(access.openedAt)} and locks behind you. Going
          out? Make a new PIN to get back in.
        </p>
      )}
      <Button
        className="mt-4 max-sm:w-full"
        busy={make.isPending}
        disabled={waitSeconds > 0 || access.codesLeft === 0}
        onClick={() => make.mutate()}
      >
        {waitSeconds > 0 ? `New PIN in ${waitSeconds} s` : 'New PIN'}
      </Button>
      {access.codesLeft === 0 ? (
        <p className="mt-2 text-sm text-fog">That was your last one. Ask your host to let you in.</p>
      ) : null}
      <Failure action={make} text="There is no new PIN yet. Please try again." className="mt-3 text-sm text-bad" />
    </>
  );
}

function getPhase(access: GuestAccess, now: Date): 'held' | 'shown' | 'waiting' | 'requesting' | 'used' {
  if (access.held) return 'held';
  if (access.pin !== null && !(access.own && access.openedAt !== null)) return 'shown';
  if (now < access.releaseAt) return 'waiting';
  const first = access.codesLeft === access.codesPerBooking;
  return !access.own || first ? 'requesting' : 'used';
}
