import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import { Link, useNavigate } from 'react-router';
import { formatMoney } from '#rules/money.ts';
import { quoteSlots } from '#rules/pricing.ts';
import type { Slot } from '#rules/slots.ts';
import { settings, venue } from '#rules/venue.ts';
import { DayHours } from '#web/features/booking/day-hours.tsx';
import { OpenHoldNotice } from '#web/features/booking/open-hold.tsx';
import { nextStep } from '#web/features/booking/next-step.ts';
import { keepDraft, readEligibility, readStudios, releaseHold } from '#web/features/booking/queries.ts';
import { StudioCards, StudioCardsSkeleton } from '#web/features/booking/studio-cards.tsx';
import { Summary } from '#web/features/booking/summary.tsx';
import { useOpenHolds } from '#web/features/booking/use-availability.ts';
import { type BookProblem, useBookNow } from '#web/features/booking/use-book-now.ts';
import { useChoice } from '#web/features/booking/use-choice.ts';
import { CouponField } from '#web/features/coupons/coupon-field.tsx';
import { useCoupon } from '#web/features/coupons/use-coupon.ts';
import { beginHostedCheck } from '#web/features/identity/queries.ts';
import { couponOf, draftOf, draftOfHold, holdOf } from '#web/data/booking-draft.ts';
import { drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import type { OwnBooking } from '#web/data/own-bookings.ts';
import { paths } from '#web/lib/paths.ts';
import { useSession } from '#web/data/session.tsx';
import { useOutsideSydney } from '#web/lib/use-outside-sydney.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { PartBoundary } from '#web/ui/crash-screen.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import { Notice, Skeleton } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { toast } from '#web/ui/toast.tsx';

/** Large, and not needed before a room is chosen. */
const Calendar = lazyPart(async () => ({ default: (await import('#web/features/booking/calendar.tsx')).Calendar }));

const NO_STUDIOS = 'Failed to load studios. Please refresh the page.';

export default function BookingPage() {
  const { status, user } = useSession();
  const navigate = useNavigate();
  const now = useNow(15_000);
  const dayPart = useRef<HTMLDivElement>(null);
  const userId = user?.id ?? null;
  const studios = useQuery({ queryKey: ['studios'], queryFn: readStudios, staleTime: 300_000 });
  const eligibility = useQuery({
    queryKey: ['eligibility', userId],
    queryFn: () => readEligibility(userId ?? '', settings.termsVersion),
    enabled: userId !== null,
  });
  const bookNow = useBookNow(userId, {
    onCouponLost: () => coupon.refuse(),
    lookAgain,
    beginCheck: beginHostedCheck,
  });
  const { busy } = bookNow;
  const choice = useChoice({ status, userId, studios: studios.data, now, paused: busy });
  const { studio, slots, hours } = choice;
  const { holds, loaded, refetch: lookForHolds } = useOpenHolds(userId, now);
  const held = studio && slots.length > 0 ? holdOf(holds, draftOf(studio, slots)) : null;
  const coupon = useSelectionCoupon({ userId, slots, held: loaded ? held : undefined, onChange: bookNow.forget });
  function lookAgain(): void {
    hours.refetch();
    lookForHolds();
  }
  useBackAgain(lookAgain);
  const book = (agreed: number | null): void =>
    void bookNow.book({ studio, slots, coupon: coupon.applied, wire: coupon.wire, lost: coupon.lost }, agreed);

  useEffect(() => {
    if (studios.isError) toast({ title: NO_STUDIOS, tone: 'bad' });
  }, [studios.isError]);

  function chooseStudio(id: string): void {
    choice.chooseStudio(id);
    bookNow.forget();
    const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    requestAnimationFrame(() =>
      dayPart.current?.scrollIntoView({ behavior: calm ? 'auto' : 'smooth', block: 'start' }),
    );
  }
  function finishPaying(open: OwnBooking): void {
    const draft = draftOfHold(open);
    if (draft === null) return;
    drafts.keepBooking(draft);
    drafts.keepCouponCode(open.coupon_code);
    void keepDraft(draft);
    void navigate(paths.checkout, { state: drafts.handOver(draft) });
  }
  async function release(open: OwnBooking): Promise<void> {
    try {
      await releaseHold(open.id);
      drafts.dropBooking();
      bookNow.forget();
    } catch (error) {
      toast({ title: 'Error', description: describeError(error, 'Please try again in a moment.'), tone: 'bad' });
    }
    lookAgain();
  }
  const openHolds = (brief: boolean): ReactNode =>
    holds.map((hold) => (
      <OpenHoldNotice
        key={hold.id}
        hold={hold}
        brief={brief}
        onPay={() => finishPaying(hold)}
        onRelease={() => release(hold)}
      />
    ));

  return (
    <Shell wide back={{ to: paths.home, label: 'Back to Home' }} title="Book a studio" lead={<ZoneNote />}>
      {holds.length > 0 ? <div className="mb-6 space-y-3">{openHolds(false)}</div> : null}
      {studios.isError ? (
        <Notice tone="bad">
          <p>{NO_STUDIOS}</p>
          <Button tone="plain" className="mt-3" onClick={() => void studios.refetch()}>
            Try again
          </Button>
        </Notice>
      ) : studios.data ? (
        <StudioCards studios={studios.data} chosen={choice.studioId} onChoose={chooseStudio} />
      ) : (
        <StudioCardsSkeleton />
      )}

      {studio ? (
        <div
          ref={dayPart}
          className={`scroll-mt-4 pt-10 md:grid md:grid-cols-[18rem_1fr] md:items-start md:gap-6 lg:grid-cols-[20rem_1fr] lg:gap-8 xl:grid-cols-[19rem_1fr_17rem] ${slots.length > 0 || choice.removed ? 'bar:pb-72' : ''}`}
        >
          <section aria-label="Day" className="max-md:mb-8">
            <h2 className="mb-4 text-2xl">Day</h2>
            <DayPicker choice={choice} onChange={bookNow.forget} />
          </section>
          <DayHours choice={choice} now={now} onChange={bookNow.forget} />
          <div className="lg:sticky lg:top-6">
            <Summary
              studioName={studio.name}
              choice={choice}
              coupon={coupon.applied}
              couponField={
                eligibility.data?.verified || coupon.wire !== null ? (
                  <CouponField folded hours={slots.length} coupon={coupon} disabled={busy} />
                ) : null
              }
              next={nextStep({
                signedIn: userId !== null,
                eligibility: eligibility.isError ? null : eligibility.data,
                totalCents: quoteSlots(slots, coupon.applied).totalCents,
              })}
              unpriced={coupon.checking !== null || coupon.unsure !== null}
              busy={busy}
              problem={
                bookNow.problem ? <Problem problem={bookNow.problem} holds={openHolds(true)} onAgree={book} /> : null
              }
              onBook={() => book(null)}
              onChange={bookNow.forget}
            />
          </div>
        </div>
      ) : null}
    </Shell>
  );
}

function DayPicker({ choice, onChange }: { choice: ReturnType<typeof useChoice>; onChange: () => void }) {
  return (
    <PartBoundary what="The calendar">
      <Suspense fallback={<Skeleton label="Loading the calendar" className="h-[22rem]" />}>
        <Calendar
          today={choice.today}
          value={choice.date}
          onChange={(day) => {
            choice.chooseDay(day);
            onChange();
          }}
          key={choice.today}
        />
      </Suspense>
    </PartBoundary>
  );
}

/** Returns the coupon of the chosen hours, from the customer's hold of them (undefined while unknown) or from this browser. */
function useSelectionCoupon(options: {
  userId: string | null;
  slots: readonly Slot[];
  held: OwnBooking | null | undefined;
  onChange: () => void;
}) {
  return useCoupon({
    hours: options.slots.length,
    kept: options.userId === null ? null : drafts.couponCode(),
    held: options.held && couponOf(options.held),
    onChange: (next) => {
      drafts.keepCouponCode(next?.code ?? null);
      options.onChange();
    },
  });
}

function Problem({
  problem,
  holds,
  onAgree,
}: {
  problem: BookProblem;
  /** The customer's holds, each with Finish paying and Release. */
  holds: ReactNode;
  onAgree: (total: number) => void;
}) {
  const { text, total, draft } = problem;
  return (
    <>
      <Notice tone="bad">
        <p>{text}</p>
        {total === null ? null : (
          <Button tone="plain" className="mt-3" onClick={() => onAgree(total)}>
            Book for {formatMoney(Math.round(total * 100))}
          </Button>
        )}
        {draft === null ? null : (
          <Link to={paths.checkout} state={drafts.handOver(draft)} className={`${buttonStyle.plain} mt-3`}>
            Use a photo of my licence
          </Link>
        )}
      </Notice>
      {problem.holds ? <div className="mt-3 space-y-3">{holds}</div> : null}
    </>
  );
}

function ZoneNote() {
  const outsideSydney = useOutsideSydney();
  return (
    <>
      <p>Pick a room, a day and your hours. Open {venue.hours}, every hour of the week.</p>
      {outsideSydney ? (
        <p className="mt-3 border-l-4 border-warn bg-booth p-3 text-chalk">
          All times here are <strong>Sydney time</strong>, which is different from your local time.
        </p>
      ) : (
        <p>All times are Sydney time.</p>
      )}
    </>
  );
}
