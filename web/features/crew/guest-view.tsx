import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatStudioRange } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { BookedSpan } from '#web/lib/business/booked-span.tsx';
import { useBusiness } from '#web/lib/business/business.ts';
import { DirectionsPhoto } from '#web/lib/business/directions-photo.tsx';
import { describeError, errorCode, findRefusal, type RefusalActions } from '#web/lib/errors.ts';
import { mapUrl, paths } from '#web/lib/paths.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Link } from '#web/router/router.tsx';
import { buttonStyle } from '#web/ui/button.tsx';
import { LoadFailed, Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { GuestCode } from './guest-code.tsx';
import { GuestDoorHelp } from './guest-door-help.tsx';
import { JoinForm } from './join-form.tsx';
import { nextLook } from './next-look.ts';
import { type GuestPage, readGuestPage } from './queries.ts';

const BACK = { to: paths.home, label: 'Home' };
/** Refusals after which a retry does not help: the link has ended, or part of it is missing. */
const FINAL: RefusalActions<'crew-page', 'ended' | 'incomplete'> = {
  not_found: 'ended',
  invitation_ended: 'ended',
  invalid_request: 'incomplete',
  not_confirmed: null,
  too_many_requests: null,
  provider_unavailable: null,
};

type Parts = {
  readonly token: string;
  /** Renders the digits of a code. */
  readonly showPin: (pin: string) => ReactNode;
  /** Renders the picture of a room, given the room's name. */
  readonly picture?: (studioName: string) => ReactNode;
};

/** The page of an invited guest: when and where the session is, the rules to accept, then the access code. */
export function GuestView({ token, ...parts }: Parts) {
  const page = useQuery({
    queryKey: queryKeys.guestPage.of(token),
    queryFn: () => readGuestPage(token),
    retry: (count, error) => count < 2 && errorCode(error) === 'offline',
    refetchInterval: ({ state }) =>
      findRefusal(state.error, FINAL) === null ? nextLook(state.data, new Date()) : false,
  });
  if (page.isError && (findRefusal(page.error, FINAL) !== null || !page.data))
    return <Refused error={page.error} onRetry={() => void page.refetch()} />;
  if (!page.data) return <Waiting label="Opening your invitation" />;
  return <Invitation page={page.data} token={token} {...parts} />;
}

function Refused({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const final = findRefusal(error, FINAL);
  return (
    <Shell back={BACK} title={final !== null ? 'This link has ended' : 'Your invitation'}>
      {final !== null ? (
        <>
          <Notice tone="plain">
            <p>{final === 'incomplete' ? 'This link is not complete.' : describeError(error, '')}</p>
            <p className="mt-1 text-sm text-fog">Ask the person who sent it to you for a new one.</p>
          </Notice>
          <Link to={paths.home} className={`${buttonStyle.plain} mt-6`}>
            Our studios
          </Link>
        </>
      ) : (
        <LoadFailed
          title="Your invitation could not be loaded."
          why={describeError(error, 'Check your connection.')}
          onRetry={onRetry}
        />
      )}
    </Shell>
  );
}

function Invitation({ page, token, showPin, picture }: Parts & { page: GuestPage }) {
  const now = useNow(1_000);
  const { booking, access, host, arrivalNotes } = page;
  const over = now >= booking.endTime;
  const who = host === '' ? 'You’re invited' : `${host} invited you`;
  return (
    <Shell
      back={BACK}
      title={page.name === null ? who : `You’re in, ${page.name}`}
      lead={
        <p>
          <strong className="text-chalk">{booking.studioName}</strong>
          <br />
          {formatStudioRange(booking.startTime, booking.endTime)}, Sydney time
        </p>
      }
    >
      <div className="space-y-10">
        {over ? (
          <Notice tone="plain">
            <p>This session is over. We hope it was a good one.</p>
          </Notice>
        ) : access === null ? null : (
          <GuestCode access={access} booking={booking} token={token} now={now} showPin={showPin} />
        )}
        {over ? null : (
          <BookedSpan
            start={booking.startTime}
            end={booking.endTime}
            codeAt={access !== null && !access.held && now < access.releaseAt ? access.releaseAt : null}
            picture={picture?.(booking.studioName)}
          />
        )}
        <TheWay />
        {arrivalNotes === '' ? null : (
          <section aria-labelledby="notes">
            <h2 id="notes" className="text-2xl">
              Good to know
            </h2>
            <p className="mt-2 max-w-prose whitespace-pre-line text-fog">{arrivalNotes}</p>
          </section>
        )}
        {access === null && !over ? <JoinForm token={token} host={host} /> : null}
        {access === null || access.held || over ? null : (
          <GuestDoorHelp token={token} access={access} studioName={booking.studioName} />
        )}
      </div>
    </Shell>
  );
}

/** Shows how to find the door. */
function TheWay() {
  const { address, directions } = useBusiness();
  return (
    <section aria-labelledby="way">
      <h2 id="way" className="text-2xl">
        Getting here
      </h2>
      <p className="mt-2 flex flex-wrap items-center gap-x-4">
        <span className="font-bold">{address}</span>
        <a
          href={mapUrl(address)}
          target="_blank"
          rel="noreferrer"
          className="inline-flex min-h-11 items-center font-semibold underline decoration-edge underline-offset-4 hover:text-signal"
        >
          Open the map
        </a>
      </p>
      {directions === '' ? null : <p className="mt-1 mb-4 max-w-prose whitespace-pre-line text-fog">{directions}</p>}
      <DirectionsPhoto />
    </section>
  );
}
