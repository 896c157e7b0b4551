import { type ReactNode, type RefObject, Suspense, useDeferredValue, useRef, useState } from 'react';
import type { StudioHours } from '#rules/nearest-free.ts';
import type { Rates } from '#rules/pricing.ts';
import { Shortcuts } from '#web/features/any-room/shortcuts.tsx';
import { DayHours } from '#web/features/booking/day-hours.tsx';
import { DayPicker } from '#web/features/days/day-picker.tsx';
import { useView } from '#web/features/room-timeline/view.ts';
import { ViewSwitch } from '#web/features/room-timeline/view-switch.tsx';
import { StudioChoice } from '#web/features/studios/studio-choice.tsx';
import { useScrollToDay } from '#web/features/booking/use-scroll-to-day.ts';
import { ZoneNote } from '#web/features/booking/zone-note.tsx';
import { useWaiting } from '#web/features/waitlist/use-waiting.tsx';
import { paths } from '#web/lib/paths.ts';
import { PartBoundary } from '#web/ui/crash-screen.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import { Skeleton } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { type Booking, useBooking } from './use-booking.ts';

/**
 * Loaded on demand, because these parts are only needed after the first press or by customers who have begun to pay, and the form libraries
 * are large.
 */
const Selection = lazyPart(async () => ({ default: (await import('./selection.tsx')).Selection }));
const OpenHoldNotice = lazyPart(async () => ({
  default: (await import('#web/features/booking/open-hold.tsx')).OpenHoldNotice,
}));
const RoomTimeline = lazyPart(async () => ({
  default: (await import('#web/features/room-timeline/room-timeline.tsx')).RoomTimeline,
}));
const AnyRoom = lazyPart(async () => ({
  default: (await import('#web/features/any-room/any-room.tsx')).AnyRoom,
}));
const LostNotice = lazyPart(async () => ({
  default: (await import('#web/features/lost-hours/lost-notice.tsx')).LostNotice,
}));

export default function BookingPage() {
  const booking = useBooking();
  const { choice, holds, forget, lookAgain } = booking;
  const [view, setView] = useView();
  const [roomPart, dayPart] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const scrollToDay = useScrollToDay(choice, roomPart, dayPart);
  function chooseStudio(id: string): void {
    choice.chooseStudio(id);
    forget();
    scrollToDay();
  }
  const afterRelease = (): void => {
    forget();
    lookAgain();
  };
  const openHolds = (brief: boolean): ReactNode =>
    holds.length === 0 ? null : (
      <PartBoundary what="The list of hours that are held for you">
        <Suspense>
          {holds.map((hold) => (
            <OpenHoldNotice key={hold.id} hold={hold} brief={brief} onReleased={afterRelease} />
          ))}
        </Suspense>
      </PartBoundary>
    );
  return (
    <Shell wide back={{ to: paths.home, label: 'Back to Home' }} title="Book a studio" lead={<ZoneNote />}>
      {holds.length > 0 ? <div className="mb-6 space-y-3">{openHolds(false)}</div> : null}
      <Finding booking={booking} viewSwitch={<ViewSwitch view={view} onChange={setView} />} onTaken={scrollToDay} />
      {view === 'all' ? (
        <AllRooms ref={dayPart} booking={booking} briefHolds={openHolds(true)} />
      ) : (
        <>
          <div ref={roomPart} className="scroll-mt-3">
            <StudioChoice today={choice.today} chosen={choice.studioId} onChoose={chooseStudio} />
          </div>
          {choice.studio ? (
            <Hours ref={dayPart} booking={booking} rates={choice.studio.rates} briefHolds={openHolds(true)} />
          ) : choice.studioId !== null && booking.loading ? (
            <Skeleton label="Loading the prices" className="mt-10 h-96" />
          ) : null}
        </>
      )}
    </Shell>
  );
}

/** Ways to find hours without the grid: in any room, or the hours of an earlier booking. */
function Finding({ booking, viewSwitch, onTaken }: { booking: Booking; viewSwitch: ReactNode; onTaken: () => void }) {
  const { choice, studios, userId, now, forget } = booking;
  const [searching, setSearching] = useState(false);
  const take = (hours: StudioHours): void => {
    choice.take(hours);
    forget();
    setSearching(false);
    onTaken();
  };
  return (
    <>
      <Shortcuts
        studios={studios}
        userId={userId}
        now={now}
        searching={searching}
        before={viewSwitch}
        onSearch={() => setSearching(!searching)}
        onTake={take}
      />
      {searching ? (
        <PartBoundary what="The search in any room">
          <Suspense fallback={<Skeleton label="Looking for free hours" className="mb-8 h-64" />}>
            <AnyRoom studios={studios} userId={userId} now={now} onTake={take} />
          </Suspense>
        </PartBoundary>
      ) : null}
    </>
  );
}

/** The day, its hours and the summary of the selection. */
function Hours({
  ref,
  booking,
  rates,
  briefHolds,
}: {
  ref: RefObject<HTMLDivElement | null>;
  booking: Booking;
  /** The prices of the chosen studio. */
  rates: Rates;
  briefHolds: ReactNode;
}) {
  const { userId, now, choice, forget } = booking;
  const lost = choice.lost?.studioId === choice.studioId ? choice.lost.slots : [];
  const waiting = useWaiting({ date: choice.date, lost, userId, now });
  const summary = useSelection(booking, rates, briefHolds);
  return (
    <div
      ref={ref}
      className={`scroll-mt-4 pt-2 md:grid md:grid-cols-[18rem_1fr] md:items-start md:gap-6 md:pt-10 lg:grid-cols-[20rem_1fr] lg:gap-8 xl:grid-cols-[19rem_1fr_17rem] ${spaceFor(choice)}`}
    >
      <DayPicker
        studioIds={choice.studioId === null ? [] : [choice.studioId]}
        today={choice.today}
        date={choice.date}
        onDay={(day) => {
          choice.chooseDay(day);
          forget();
        }}
      />
      <DayHours
        choice={choice}
        rates={rates}
        now={now}
        lostPart={choice.lost ? <Lost booking={booking} /> : null}
        onTaken={(slot) => waiting.waitFor(choice.studio, slot)}
        onChange={forget}
      />
      {waiting.dialog}
      <div className="lg:sticky lg:top-6">{summary}</div>
    </div>
  );
}

/** The day, the hours of all rooms and the summary of the selection. */
function AllRooms({
  ref,
  booking,
  briefHolds,
}: {
  ref: RefObject<HTMLDivElement | null>;
  booking: Booking;
  briefHolds: ReactNode;
}) {
  const { status, userId, now, studios, failed, choice, busy, forget } = booking;
  const waiting = useWaiting({ date: choice.date, userId, now });
  const rates = choice.studio?.rates ?? studios[0]?.rates;
  const summary = useSelection(booking, rates, briefHolds, true);
  // This component shows that the rooms could not be loaded, and offers another try.
  if (failed) return <StudioChoice today={choice.today} chosen={null} onChoose={choice.chooseStudio} />;
  const changed = (change: () => void): void => {
    change();
    forget();
  };
  return (
    <div ref={ref} className={`scroll-mt-3 ${spaceFor(choice)}`}>
      <DayPicker
        flat
        studioIds={studios.map(({ id }) => id)}
        today={choice.today}
        date={choice.date}
        onDay={(day) => changed(() => choice.chooseDay(day))}
      />
      {choice.lost ? (
        <div className="mb-4">
          <Lost booking={booking} />
        </div>
      ) : null}
      <PartBoundary what="The timeline of the rooms">
        <Suspense fallback={<Skeleton label="Loading the hours of all rooms" className="h-[40rem] lg:h-80" />}>
          <RoomTimeline
            rooms={studios}
            userId={userId}
            ready={status !== 'loading'}
            date={choice.date}
            selection={choice}
            now={now}
            paused={busy}
            onToggle={(id, slot) => changed(() => choice.toggleIn(id, slot))}
            onReach={(id, ...reached) => changed(() => choice.reachIn(id, ...reached))}
            onTaken={(id, slot) => waiting.waitFor(studios.find((studio) => studio.id === id) ?? null, slot)}
          />
        </Suspense>
      </PartBoundary>
      {waiting.dialog}
      {summary}
    </div>
  );
}

/** Space below the hours for the bar along the lower edge of a phone. */
const spaceFor = ({ slots, removed }: Booking['choice']): string => (slots.length > 0 || removed ? 'bar:pb-24' : '');

/**
 * Returns the summary of the selection. The pressed hour renders first and the summary right after it. Together they take too long on a
 * slow phone.
 */
function useSelection(booking: Booking, rates: Rates | undefined, briefHolds: ReactNode, flat = false): ReactNode {
  return useDeferredValue(
    rates === undefined ? null : (
      <PartBoundary what="Your selection">
        <Suspense>
          <Selection booking={booking} rates={rates} briefHolds={briefHolds} flat={flat} />
        </Suspense>
      </PartBoundary>
    ),
  );
}

/** Shows what the customer can do about lost hours. Shows nothing if none were lost. */
function Lost({ booking }: { booking: Booking }) {
  const { userId, now, studios, choice, forget } = booking;
  if (!choice.lost) return null;
  return (
    <PartBoundary what="The list of free hours">
      <Suspense>
        <LostNotice
          lost={choice.lost}
          studios={studios}
          userId={userId}
          now={now}
          onTake={(hours) => {
            choice.take(hours);
            forget();
          }}
        />
      </Suspense>
    </PartBoundary>
  );
}
