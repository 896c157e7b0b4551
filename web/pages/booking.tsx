import {
  type ReactNode,
  type RefObject,
  Suspense,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import { describeCancellation } from '#rules/cancellation.ts';
import type { StudioHours } from '#rules/nearest-free.ts';
import { quoteSlots, type Rates } from '#rules/pricing.ts';
import { spanOf } from '#rules/slots.ts';
import { Shortcuts } from '#web/features/any-room/shortcuts.tsx';
import { DayHours } from '#web/features/booking/day-hours.tsx';
import { DayPicker } from '#web/features/days/day-picker.tsx';
import { nextStep } from '#web/features/book-now/next-step.ts';
import { OpenHoldNotice } from '#web/features/booking/open-hold.tsx';
import { ProblemNotice } from '#web/features/book-now/problem-notice.tsx';
import { useStudios } from '#web/features/studios/queries.ts';
import { useView } from '#web/features/room-timeline/view.ts';
import { ViewSwitch } from '#web/features/room-timeline/view-switch.tsx';
import { StudioChoice } from '#web/features/studios/studio-choice.tsx';
import { Summary } from '#web/features/booking/summary.tsx';
import { useOpenHolds } from '#web/features/booking/use-availability.ts';
import { useBookNow } from '#web/features/book-now/use-book-now.ts';
import { useChoice } from '#web/features/booking/use-choice.ts';
import { useScrollToDay } from '#web/features/booking/use-scroll-to-day.ts';
import { ZoneNote } from '#web/features/booking/zone-note.tsx';
import { useCoupon } from '#web/features/coupons/use-coupon.ts';
import { SeriesLine } from '#web/features/book-now/series-line.tsx';
import { useSeries } from '#web/data/finding/use-series.ts';
import { useWaiting } from '#web/features/waitlist/use-waiting.tsx';
import { beginHostedCheck } from '#web/features/identity/queries.ts';
import { couponOf, draftOf, holdOf } from '#web/data/drafts/booking-draft.ts';
import { useEligibility } from '#web/data/account/eligibility.ts';
import { useSession } from '#web/data/session.tsx';
import { drafts } from '#web/lib/drafts.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { paths } from '#web/lib/paths.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { useNow } from '#web/lib/use-now.ts';
import { PartBoundary } from '#web/ui/crash-screen.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import { Skeleton } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

/** Not needed before the first press, and the form libraries are large. */
const CouponField = lazyPart(async () => ({
  default: (await import('#web/features/coupons/coupon-field.tsx')).CouponField,
}));
const RoomTimeline = lazyPart(async () => ({
  default: (await import('#web/features/room-timeline/room-timeline.tsx')).RoomTimeline,
}));
const AnyRoom = lazyPart(async () => ({
  default: (await import('#web/features/any-room/any-room.tsx')).AnyRoom,
}));
const HeldNote = lazyPart(async () => ({
  default: (await import('#web/features/waitlist/held-note.tsx')).HeldNote,
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
    holds.map((hold) => <OpenHoldNotice key={hold.id} hold={hold} brief={brief} onReleased={afterRelease} />);
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

/** Joins what the page shows: the selection, its coupon, the customer's holds, and Book Now. */
function useBooking() {
  const { status, user } = useSession();
  const userId = user?.id ?? null;
  const now = useNow(15_000);
  const studios = useStudios();
  const eligibility = useEligibility(userId);
  const bookNow = useBookNow(userId, {
    onCouponLost: () => coupon.refuse(),
    lookAgain,
    beginCheck: beginHostedCheck,
  });
  const choice = useChoice({ status, userId, studios: studios.data, now, paused: bookNow.busy });
  const { studio, slots, hours } = choice;
  const { holds, loaded, refetch: lookForHolds } = useOpenHolds(userId, now);
  const held = studio && slots.length > 0 ? holdOf(holds, draftOf(studio, slots)) : null;
  const coupon = useCoupon({
    slots,
    kept: userId === null ? null : drafts.couponCode(),
    held: loaded ? held && couponOf(held) : undefined,
    onChange: (next) => {
      drafts.saveCouponCode(next?.code ?? null);
      bookNow.forget();
    },
  });
  const series = useSeries({ studioId: studio?.id ?? null, slots, code: coupon.applied?.code ?? null });
  function lookAgain(): void {
    hours.refetch();
    lookForHolds();
    series.lookAgain();
    // Prices may have changed.
    void studios.refetch();
  }
  useBackAgain(lookAgain);
  const book = (agreed: number | null): void => {
    if (studio) drafts.saveLastBooked({ studioId: studio.id, slots });
    const { applied, wire, lost } = coupon;
    bookNow.book({ studio, slots, coupon: applied, wire, lost, series: series.chosen }, agreed);
  };
  const { busy, problem, forget } = bookNow;
  const settled = loaded && coupon.checking === null && coupon.unsure === null && coupon.lost === null;
  const bookNowWaits = choice.bookNowWaits && studio !== null && settled;
  const continueBookNow = useEffectEvent(() => {
    choice.endBookNowWait();
    book(null);
  });
  // Continues a Book Now that had to wait for the sign-in.
  useEffect(() => {
    if (bookNowWaits) continueBookNow();
  }, [bookNowWaits]);
  return {
    status,
    userId,
    now,
    studios: studios.data ?? [],
    failed: studios.isError,
    loading: studios.isPending,
    eligibility,
    choice,
    coupon,
    series,
    holds,
    busy,
    problem,
    book,
    forget,
    lookAgain,
  };
}

/** Finds hours without the grid: in any room, or the hours of an earlier booking. */
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

type Booking = ReturnType<typeof useBooking>;

/** The day, its hours and the summary of the selection. */
function Hours({
  ref,
  booking,
  rates,
  briefHolds,
}: {
  ref: RefObject<HTMLDivElement | null>;
  booking: Booking;
  /** Prices of the chosen studio. */
  rates: Rates;
  briefHolds: ReactNode;
}) {
  const { userId, now, choice, forget } = booking;
  const lost = choice.lost?.studioId === choice.studioId ? choice.lost.slots : [];
  const waiting = useWaiting({ date: choice.date, lost, userId, now });
  const summary = useSummary(booking, rates, briefHolds);
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
  const summary = useSummary(booking, rates, briefHolds, true);
  // It says that the rooms could not be loaded, and offers another try.
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
            onTaken={(id, slot) => waiting.waitFor(studios.find((one) => one.id === id) ?? null, slot)}
          />
        </Suspense>
      </PartBoundary>
      {waiting.dialog}
      {summary}
    </div>
  );
}

/** Room below the hours for the bar along the lower edge of a phone. */
const spaceFor = ({ slots, removed }: Booking['choice']): string => (slots.length > 0 || removed ? 'bar:pb-24' : '');

/** Returns the summary of the selection. The pressed hour is painted first, and the summary right after it: together they take too long on a slow phone. */
function useSummary(booking: Booking, rates: Rates | undefined, briefHolds: ReactNode, flat = false): ReactNode {
  const { userId, now, eligibility, choice, coupon, series, busy, problem, book, forget } = booking;
  const { slots, studioId } = choice;
  const { freeCancelHours } = useBusiness();
  const line = (
    <>
      {userId === null || slots.length === 0 ? null : (
        <PartBoundary what="The wait list">
          <Suspense>
            <HeldNote userId={userId} studioId={studioId} slots={slots} now={now} />
          </Suspense>
        </PartBoundary>
      )}
      <SeriesLine series={series} studioName={choice.studio?.name ?? ''} busy={busy} onChange={forget} />
    </>
  );
  return useDeferredValue(
    rates === undefined ? null : (
      <Summary
        choice={choice}
        rates={rates}
        coupon={coupon.applied}
        couponField={
          eligibility.data?.verified || coupon.wire !== null ? (
            <PartBoundary what="The code field">
              <Suspense>
                <CouponField folded slots={slots} coupon={coupon} disabled={busy} />
              </Suspense>
            </PartBoundary>
          ) : null
        }
        next={nextStep({
          signedIn: userId !== null,
          eligibility: eligibility.data ?? (eligibility.isError ? null : undefined),
          totalCents: series.totalCents ?? quoteSlots(slots, rates, coupon.applied).totalCents,
        })}
        terms={slots.length === 0 ? '' : describeCancellation(spanOf(slots).start, now, freeCancelHours)}
        unpriced={coupon.checking !== null || coupon.unsure !== null || series.loading}
        alert={coupon.unsure !== null || coupon.lost !== null || coupon.unfit !== null}
        series={{ line, dates: series.chosen?.length ?? 1, totalCents: series.totalCents }}
        busy={busy}
        flat={flat}
        problem={problem ? <ProblemNotice problem={problem} busy={busy} holds={briefHolds} onAgree={book} /> : null}
        onBook={() => book(null)}
        onChange={forget}
      />
    ),
  );
}

/** What to do about hours that were lost; nothing when there are none. */
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
