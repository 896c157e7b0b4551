import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { formatMoney } from '#rules/money.ts';
import { type Slot, slotsOfSpan, sortSlots, toggleSlot, whyNotAdd } from '#rules/slots.ts';
import { addDays, isSydneyZone, type StudioDate, studioDate } from '#rules/studio-time.ts';
import { settings, venue } from '#rules/venue.ts';
import { Calendar } from '#web/features/booking/calendar.tsx';
import { DayHours } from '#web/features/booking/day-hours.tsx';
import { draftOf } from '#web/features/booking/draft.ts';
import { OpenHoldNotice } from '#web/features/booking/open-hold.tsx';
import {
  createPayment,
  keepDraft,
  type OpenHold,
  readStanding,
  readStudios,
  releaseHold,
} from '#web/features/booking/queries.ts';
import { describeLost, dropLost, reachTo } from '#web/features/booking/selection.ts';
import { StudioCards } from '#web/features/booking/studio-cards.tsx';
import { Summary } from '#web/features/booking/summary.tsx';
import { useAvailability, useOpenHold } from '#web/features/booking/use-availability.ts';
import { useRestored } from '#web/features/booking/use-restored.ts';
import { drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/lib/session.tsx';
import { AppError, OFFLINE } from '#web/lib/supabase.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { toast } from '#web/ui/toast.tsx';

const WHY: Readonly<Record<string, string>> = {
  'not-consecutive': 'Hours must follow one another. Clear the selection to start elsewhere.',
  'too-long': `A session is at most ${settings.maxHours} hours long.`,
  'too-far': 'A session may not go beyond the next day.',
  closed: 'This hour cannot be booked.',
};
const RESTORE_FAILED = 'Failed to restore selections. Please try again.';
/** What went wrong at Book Now; `total` in dollars when the server names another price. */
type Problem = { readonly text: string; readonly total: number | null };

export default function BookingPage() {
  const { status, user } = useSession();
  const dialog = useAuthDialog();
  const navigate = useNavigate();
  const now = useNow(15_000);
  const today = studioDate(now);
  const [studioId, setStudioId] = useState<string | null>(null);
  const [date, setDate] = useState<StudioDate>(today);
  const [slots, setSlots] = useState<readonly Slot[]>([]);
  const [restoring, setRestoring] = useState<'no' | 'quietly' | 'telling'>('no');
  const [lostNote, setLostNote] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const dayPart = useRef<HTMLDivElement>(null);

  const studios = useQuery({ queryKey: ['studios'], queryFn: readStudios, staleTime: 300_000 });
  const studio = studios.data?.find((one) => one.id === studioId) ?? null;
  const userId = user?.id ?? null;
  const hours = useAvailability({ studioId, userId, ready: status !== 'loading', slots, date, paused: busy });
  const { taken } = hours;
  const { hold, refetch: lookForHold } = useOpenHold(userId, now);
  function lookAgain(): void {
    hours.refetch();
    lookForHold();
  }

  useBackAgain(() => {
    setBusy(false);
    lookAgain();
  });
  useRestored(status, (found) => {
    if (found.slots.length === 0) return;
    setStudioId(found.studioId);
    setDate(found.slots[0]?.date ?? today);
    setSlots(found.slots);
    setRestoring(found.tell ? 'telling' : 'quietly');
  });

  const unknownStudio = studios.data !== undefined && studioId !== null && studio === null;
  const missed = hours.failed || unknownStudio;
  // What somebody else takes, or time takes, leaves the selection, and that is said where it stays to be read.
  const settle = useEffectEvent(() => {
    if (restoring !== 'no' && missed) return giveUpRestoring();
    if (taken === undefined || slots.length === 0 || busy) return undefined;
    const { kept, lost } = dropLost(slots, taken, new Date());
    const told = lost.length === 0 ? null : describeLost(lost, kept.length);
    if (told !== null) {
      setSlots(kept);
      setLostNote(told);
      setProblem(null);
    }
    if (restoring === 'telling') toast({ title: 'Selections Restored', description: told ?? 'Your hours are back.' });
    return setRestoring('no');
  });
  // The clock and other people are outside systems: what they took is not derived, it stays gone from the selection.
  // oxlint-disable-next-line react/set-state-in-effect
  useEffect(() => settle(), [taken, slots, now, busy, restoring, missed]);

  function giveUpRestoring(): void {
    toast({ title: RESTORE_FAILED, tone: 'bad' });
    setRestoring('no');
    if (!unknownStudio) return;
    setStudioId(null);
    setSlots([]);
  }
  function select(next: readonly Slot[]): void {
    setSlots(next);
    setLostNote(null);
    setProblem(null);
  }
  function toggle(slot: Slot): void {
    const why = whyNotAdd(slots, slot);
    if (why) return toast({ title: WHY[why] ?? 'This hour cannot be added.' });
    return select(toggleSlot(slots, slot));
  }
  function reach(from: Slot, to: Slot, isFree: (slot: Slot) => boolean): void {
    const next = reachTo(slots, from, to, isFree);
    if (next.length === slots.length && slots.length > 0 && isFree(to)) return toggle(to);
    return select(next);
  }
  function chooseStudio(id: string): void {
    setStudioId(id);
    if (id !== studioId) select([]);
    const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    requestAnimationFrame(() =>
      dayPart.current?.scrollIntoView({ behavior: calm ? 'auto' : 'smooth', block: 'start' }),
    );
  }
  function chooseDay(day: StudioDate): void {
    setDate(day);
    // A selection that does not touch the day one looks at would be invisible: it begins anew.
    if (slots.length > 0 && !slots.some((slot) => slot.date === day || addDays(slot.date, 1) === day)) select([]);
  }
  function clear(): void {
    select([]);
    drafts.dropBooking();
  }

  async function book(shownTotal: number | null = null): Promise<void> {
    if (slots.length === 0 || busy) return;
    if (!studio) return toast({ title: 'Selected studio not found.', tone: 'bad' });
    if (!user) {
      drafts.keepSelection({ studioId: studio.id, slots: sortSlots(slots) });
      return dialog.open('sign-in');
    }
    const drafted = draftOf(studio, slots);
    const draft = shownTotal === null ? drafted : { ...drafted, final_cost: shownTotal };
    setBusy(true);
    setProblem(null);
    try {
      drafts.keepBooking(drafted);
      void keepDraft(drafted);
      const standing = await readStanding(user.id, settings.termsVersion);
      if (!standing.verified || !standing.termsAccepted) return void navigate(paths.checkout);
      const { url } = await createPayment(draft);
      return leaveTo(url); // busy stays: the page is on its way out
    } catch (error) {
      setBusy(false);
      const code = error instanceof AppError ? error.code : '';
      if (code === 'id_required' || code === 'terms_required') return void navigate(paths.checkout);
      lookAgain();
      const text = describeError(error, navigator.onLine ? 'Failed to process payment. Please try again.' : OFFLINE);
      const total = error instanceof AppError ? error.details['total'] : null;
      setProblem({ text, total: code === 'price_changed' && typeof total === 'number' ? total : null });
      return toast({ title: 'Payment Error', description: text, tone: 'bad' });
    }
  }

  function finishPaying(open: OpenHold): void {
    const span = slotsOfSpan(new Date(open.start_time), new Date(open.end_time));
    if (!span) return;
    drafts.keepBooking(draftOf({ id: open.studio_id, name: open.studio_name }, span));
    void navigate(paths.checkout);
  }
  async function letGo(open: OpenHold): Promise<void> {
    try {
      await releaseHold(open.id);
      drafts.dropBooking();
    } catch (error) {
      toast({ title: 'Error', description: describeError(error, 'Please try again in a moment.'), tone: 'bad' });
    }
    lookAgain();
  }

  return (
    <Shell wide back={{ to: paths.home, label: 'Back to Home' }} title="Book a studio" lead={<ZoneNote />}>
      {hold ? (
        <div className="mb-6">
          <OpenHoldNotice hold={hold} onPay={() => finishPaying(hold)} onRelease={() => letGo(hold)} />
        </div>
      ) : null}
      {studios.isError ? (
        <Notice tone="bad">
          <p>Failed to load studios. Please refresh the page.</p>
          <Button tone="plain" className="mt-3" onClick={() => void studios.refetch()}>
            Try again
          </Button>
        </Notice>
      ) : studios.data ? (
        <StudioCards studios={studios.data} chosen={studioId} onChoose={chooseStudio} />
      ) : (
        <output className="grid gap-4 md:grid-cols-3" aria-label="Loading studios">
          {[1, 2, 3].map((one) => (
            <span key={one} className="skeleton h-80 md:h-[27rem]" />
          ))}
        </output>
      )}

      {studio ? (
        <div
          ref={dayPart}
          className={`scroll-mt-4 pt-10 md:grid md:grid-cols-[18rem_1fr] md:items-start md:gap-6 lg:grid-cols-[20rem_1fr] lg:gap-8 xl:grid-cols-[19rem_1fr_17rem] ${slots.length > 0 ? 'max-lg:pb-48' : ''}`}
        >
          <section aria-label="Day" className="max-md:mb-8">
            <h2 className="mb-4 text-2xl">Day</h2>
            <Calendar today={today} value={date} onChange={chooseDay} key={today} />
          </section>
          <DayHours
            date={date}
            slots={slots}
            hours={hours}
            now={now}
            lostNote={lostNote}
            onToggle={toggle}
            onReach={reach}
            onDate={setDate}
          />
          <div>
            <div className="lg:sticky lg:top-6">
              <Summary
                studioName={studio.name}
                slots={slots}
                busy={busy}
                problem={
                  problem ? (
                    <>
                      <p>{problem.text}</p>
                      {problem.total === null ? null : (
                        <Button tone="plain" className="mt-3" onClick={() => void book(problem.total)}>
                          Book for {formatMoney(Math.round(problem.total * 100))}
                        </Button>
                      )}
                    </>
                  ) : null
                }
                onBook={() => void book()}
                onClear={clear}
              />
            </div>
          </div>
        </div>
      ) : null}
    </Shell>
  );
}

function ZoneNote() {
  const away = !isSydneyZone(Intl.DateTimeFormat().resolvedOptions().timeZone);
  return (
    <>
      <p>Pick a room, a day and your hours. Open {venue.hours}, every hour of the week.</p>
      {away ? (
        <p className="mt-3 border-l-4 border-warn bg-booth p-3 text-chalk">
          All times here are <strong>Sydney time</strong>, which is not the time where you are.
        </p>
      ) : (
        <p>All times are Sydney time.</p>
      )}
    </>
  );
}
