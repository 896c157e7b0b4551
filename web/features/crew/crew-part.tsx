import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { constants as studio } from '#rules/venue.ts';
import { type CrewMember, readCrew } from '#web/data/bookings/crew.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';
import { CrewLinkPanel } from './crew-link.tsx';
import { type CrewLink, inviteGuest, renewLink } from './queries.ts';
import { TakeBack } from './take-back.tsx';

const POLL_MS = 30_000;
const CHANGES = [queryKeys.crew.all];

/** The booking that the guests belong to, and its customer. */
export type CrewBooking = { readonly bookingId: string; readonly userId: string };

/** The guests of a booking: a link for each, who has joined, and a button that withdraws an invitation. */
export function CrewPart({ bookingId, userId }: CrewBooking) {
  const live = useLive(`user:${userId}`, queryKeys.crew.all);
  const crew = useQuery({
    queryKey: queryKeys.crew.of([bookingId]),
    queryFn: () => readCrew([bookingId]),
    refetchInterval: pollWhile(live, POLL_MS),
  });
  const [link, setLink] = useState<CrewLink | null>(null);
  const [leaving, setLeaving] = useState<CrewMember | null>(null);
  const invite = useInvite(bookingId, setLink);
  const coming = (crew.data ?? []).filter(({ state }) => state !== 'revoked');
  const full = coming.length >= studio.maxCrew;
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    // The page loads the booking first, so the section did not exist when the browser tried to scroll to it.
    if (window.location.hash === '#crew') section.current?.scrollIntoView();
  }, []);
  return (
    <section ref={section} aria-labelledby="crew" className="scroll-mt-4">
      <h2 id="crew" className="text-2xl">
        Your crew
      </h2>
      <p className="mt-2 max-w-prose text-fog">
        Bring up to {studio.maxCrew} people. Each gets their own link: when and where, the studio rules, and the way in.
      </p>
      {crew.isError && !crew.data ? (
        <div className="mt-4">
          <LoadFailed title="Your crew could not be loaded." onRetry={() => void crew.refetch()} />
        </div>
      ) : crew.data === undefined ? (
        <Skeleton className="mt-4 h-12" label="Loading your crew" />
      ) : (
        <>
          <Members crew={coming} bookingId={bookingId} onLink={setLink} onTakeBack={setLeaving} />
          {link === null ? null : (
            <CrewLinkPanel
              link={link}
              name={coming.find(({ id }) => id === link.inviteId)?.name ?? null}
              onDone={() => setLink(null)}
            />
          )}
          <Button
            className="mt-4 max-sm:w-full"
            tone="plain"
            busy={invite.isPending}
            disabled={full}
            onClick={() => invite.mutate()}
          >
            Invite someone
          </Button>
          {full ? (
            <p className="mt-2 text-sm text-dust">
              You’ve invited all {studio.maxCrew}. Take one back to invite someone else.
            </p>
          ) : null}
        </>
      )}
      <Failure action={invite} text="No one was invited. Please try again." className="mt-3 text-sm text-bad" />
      <TakeBack member={leaving} bookingId={bookingId} onClose={() => setLeaving(null)} />
    </section>
  );
}

/** Invites another guest. Idempotent until an answer arrives: a repeat after a lost answer returns the same invitation. */
function useInvite(bookingId: string, onLink: (link: CrewLink) => void) {
  const request = useRef(crypto.randomUUID());
  return useMutation({
    mutationFn: () => inviteGuest(bookingId, request.current),
    meta: { handled: true, invalidates: CHANGES },
    onSuccess: (link) => {
      request.current = crypto.randomUUID();
      onLink(link);
    },
  });
}

function Members({
  crew,
  bookingId,
  onLink,
  onTakeBack,
}: {
  crew: readonly CrewMember[];
  bookingId: string;
  onLink: (link: CrewLink) => void;
  onTakeBack: (member: CrewMember) => void;
}) {
  const renew = useMutation({
    mutationFn: (inviteId: string) => renewLink(bookingId, inviteId),
    meta: { handled: true, invalidates: CHANGES },
    onSuccess: onLink,
  });
  if (crew.length === 0) return null;
  return (
    <>
      <ul aria-label="Who comes" className="mt-4 divide-y divide-line border-y border-line">
        {crew.map((member, index) => {
          const name = member.name ?? `Guest ${index + 1}`;
          return (
            <li key={member.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
              <p className="flex min-w-0 flex-1 basis-40 flex-wrap items-center gap-x-3 gap-y-1">
                <strong className="min-w-0 break-words">{name}</strong>
                {member.state === 'joined' ? <Chip tone="good">Joined</Chip> : <Chip>Invited</Chip>}
              </p>
              <p className="flex gap-4">
                <Button
                  tone="quiet"
                  aria-label={`New link for ${name}`}
                  busy={renew.isPending && renew.variables === member.id}
                  onClick={() => renew.mutate(member.id)}
                >
                  New link
                </Button>
                <Button tone="quiet" aria-label={`Cancel invite of ${name}`} onClick={() => onTakeBack(member)}>
                  Cancel invite
                </Button>
              </p>
            </li>
          );
        })}
      </ul>
      <Failure action={renew} text="There is no new link. Please try again." className="mt-3 text-sm text-bad" />
    </>
  );
}
