import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import {
  sameSlot,
  type Slot,
  slotClosed,
  slotLabel,
  slotTaken,
  toggleSlot,
  longestRun,
  whyNotAdd,
  sortSlots,
} from '#rules/slots.ts';
import { addDays, formatStudioDate, isSydneyZone, type StudioDate, studioDate } from '#rules/studio-time.ts';
import { settings, venue } from '#rules/venue.ts';
import { Calendar } from '#web/features/booking/calendar.tsx';
import { draftOf } from '#web/features/booking/draft.ts';
import { createPayment, keepDraft, readStanding, readStudios, readTaken } from '#web/features/booking/queries.ts';
import { Legend, SlotGrid } from '#web/features/booking/slot-grid.tsx';
import { StudioCards } from '#web/features/booking/studio-cards.tsx';
import { Summary } from '#web/features/booking/summary.tsx';
import { drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/lib/session.tsx';
import { AppError } from '#web/lib/supabase.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { toast } from '#web/ui/toast.tsx';

const POLL_MS = 5_000;
const WHY: Readonly<Record<string, string>> = {
  'not-consecutive': 'Hours must follow one another. Clear the selection to start elsewhere.',
  'too-long': `A session is at most ${settings.maxHours} hours long.`,
  'too-far': 'A session may not go beyond the next day.',
  closed: 'This hour cannot be booked.',
};

export default function BookingPage() {
  const { status, user } = useSession();
  const dialog = useAuthDialog();
  const navigate = useNavigate();
  const now = useNow(15_000);
  const today = studioDate(now);
  const [studioId, setStudioId] = useState<string | null>(null);
  const [date, setDate] = useState<StudioDate>(today);
  const [slots, setSlots] = useState<Slot[]>([]);
  const [busy, setBusy] = useState(false);

  const studios = useQuery({ queryKey: ['studios'], queryFn: readStudios, staleTime: 300_000 });
  const studio = studios.data?.find((one) => one.id === studioId) ?? null;
  const fetchDate = slots[0]?.date ?? date;
  const taken = useQuery({
    queryKey: ['taken', studioId, fetchDate, date],
    queryFn: () => readBoth(studioId ?? '', fetchDate, date),
    enabled: studioId !== null,
    refetchInterval: POLL_MS,
    placeholderData: (before, query) => (query?.queryKey[1] === studioId ? before : undefined),
  });

  useRestored(status, (pending) => {
    setStudioId(pending.studioId);
    setDate(pending.slots[0]?.date ?? today);
    setSlots([...pending.slots]);
  });

  // What somebody else takes, or time takes, leaves the selection, and that is said.
  useEffect(() => {
    if (!taken.data || slots.length === 0) return;
    const lost = slots.filter((slot) => slotTaken(slot, taken.data) || slotClosed(slot, new Date()) !== null);
    if (lost.length === 0) return;
    setSlots(longestRun(slots.filter((slot) => !lost.some((one) => sameSlot(one, slot)))));
    toast({
      title: 'No longer free',
      description: `${lost.map((slot) => slotLabel(slot.hour)).join(', ')} was just taken. The rest of your selection is kept.`,
      tone: 'bad',
    });
  }, [taken.data, slots, now]);

  const spill = useMemo(() => slots.some((slot) => slot.date !== slots[0]?.date), [slots]);
  const reachesMidnight = slots.some((slot) => slot.hour === 23 && slot.date === date);

  function toggle(slot: Slot): void {
    const why = slots.some((one) => sameSlot(one, slot)) ? null : whyNotAdd(slots, slot);
    if (why) return toast({ title: WHY[why] ?? 'This hour cannot be added.' });
    setSlots(toggleSlot(slots, slot));
  }

  async function book(): Promise<void> {
    if (!studio) return toast({ title: 'Selected studio not found.', tone: 'bad' });
    if (slots.length === 0) return;
    const draft = draftOf(studio, slots);
    if (!user) {
      drafts.keepSelection({ studioId: studio.id, slots: sortSlots(slots) });
      dialog.open('sign-in');
      return;
    }
    setBusy(true);
    try {
      drafts.keepBooking(draft);
      void keepDraft(draft);
      const standing = await readStanding(user.id, settings.termsVersion);
      if (standing.verified && standing.termsAccepted) {
        const { url } = await createPayment(draft);
        window.location.assign(url);
        return;
      }
      void navigate(paths.checkout);
    } catch (error) {
      if (error instanceof AppError && error.code === 'slot_taken') void taken.refetch();
      const fast = error instanceof AppError && ['age_required', 'id_required', 'terms_required'].includes(error.code);
      if (fast) void navigate(paths.checkout);
      else
        toast({
          title: 'Payment Error',
          description: describeError(error, 'Failed to process payment. Please try again.'),
          tone: 'bad',
        });
    }
    setBusy(false);
  }

  return (
    <Shell wide back={{ to: paths.home, label: 'Back to Home' }} title="Book a studio" lead={<ZoneNote />}>
      {studios.isError ? (
        <Notice tone="bad">
          <p>Failed to load studios. Please refresh the page.</p>
          <Button tone="plain" className="mt-3" onClick={() => void studios.refetch()}>
            Try again
          </Button>
        </Notice>
      ) : studios.data ? (
        <StudioCards
          studios={studios.data}
          chosen={studioId}
          onChoose={(id) => {
            setStudioId(id);
            setSlots([]);
          }}
        />
      ) : (
        <div className="grid gap-4 md:grid-cols-3" aria-label="Loading studios" role="status">
          {[1, 2, 3].map((one) => (
            <div key={one} className="skeleton h-96" />
          ))}
        </div>
      )}

      {studio ? (
        <div className={`mt-10 grid gap-8 lg:grid-cols-[20rem_1fr_18rem] ${slots.length > 0 ? 'max-lg:pb-44' : ''}`}>
          <section aria-label="Day">
            <h2 className="mb-4 text-2xl">Day</h2>
            <Calendar today={today} value={date} onChange={(day) => chooseDay(day)} key={today} />
          </section>
          <section aria-label="Hours">
            <div className="mb-4 flex flex-wrap items-baseline justify-between gap-2">
              <h2 className="text-2xl">{formatStudioDate(date, 'long')}</h2>
              <p className="text-sm text-dust">Sydney time</p>
            </div>
            {taken.isError ? (
              <Notice tone="bad">
                <p>We cannot see which hours are free right now.</p>
                <Button tone="plain" className="mt-3" onClick={() => void taken.refetch()}>
                  Try again
                </Button>
              </Notice>
            ) : taken.data ? (
              <>
                <SlotGrid date={date} selection={slots} taken={taken.data} now={now} onToggle={toggle} />
                <Legend />
              </>
            ) : (
              <div className="skeleton h-96" role="status" aria-label="Loading hours" />
            )}
            <div className="mt-4 flex flex-wrap gap-2">
              {reachesMidnight ? (
                <Button tone="plain" onClick={() => setDate(addDays(date, 1))}>
                  Continue to next morning
                </Button>
              ) : null}
              {spill && slots[0] && date !== slots[0].date ? (
                <Button tone="plain" onClick={() => setDate(slots[0]?.date ?? date)}>
                  Back to previous day
                </Button>
              ) : null}
            </div>
          </section>
          <div>
            <div className="lg:sticky lg:top-6">
              <Summary
                studioName={studio.name}
                slots={slots}
                busy={busy}
                onBook={() => void book()}
                onClear={() => setSlots([])}
              />
            </div>
          </div>
        </div>
      ) : null}
    </Shell>
  );

  function chooseDay(day: StudioDate): void {
    setDate(day);
    // A selection that does not touch the day one looks at would be invisible: it begins anew.
    if (slots.length > 0 && !slots.some((slot) => slot.date === day || addDays(slot.date, 1) === day)) setSlots([]);
  }
}

async function readBoth(
  studioId: string,
  first: StudioDate,
  shown: StudioDate,
): Promise<Awaited<ReturnType<typeof readTaken>>> {
  const lists = await Promise.all([...new Set([first, shown])].map((day) => readTaken(studioId, day)));
  return lists.flat();
}

/** Brings back what was chosen before signing in, once (spec section 4). */
function useRestored(status: string, restore: (pending: { studioId: string; slots: readonly Slot[] }) => void): void {
  useEffect(() => {
    if (status !== 'in') return;
    const pending = drafts.selection();
    if (!pending) return;
    drafts.dropSelection();
    const open = longestRun(pending.slots.filter((slot) => slotClosed(slot, new Date()) === null));
    restore({ studioId: pending.studioId, slots: open });
    const lost = pending.slots.length - open.length;
    toast({
      title: 'Selections Restored',
      description: lost === 0 ? 'Your selected hours are back.' : `${lost} of your hours can no longer be booked.`,
    });
    // Restoring happens once per sign-in; the callback is new at every render.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [status]);
}

function ZoneNote() {
  const away = !isSydneyZone(Intl.DateTimeFormat().resolvedOptions().timeZone);
  return (
    <p>
      {venue.hours}, every hour of the week. All times are <strong className="text-chalk">Sydney time</strong>
      {away ? ', which is not the time where you are.' : '.'}
    </p>
  );
}
