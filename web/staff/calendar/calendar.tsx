import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { addDays, type StudioDate, studioDate } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Feeds } from './feeds.tsx';
import { FreeDays } from './free-days.tsx';
import { Grid } from './grid.tsx';
import { Header } from './header.tsx';
import { ENTRIES_MAX, type Entry, readCalendar } from './queries.ts';
import { getColumns, getDays, type Span, getTimes, type View } from './span.ts';
import { SpanForm, type SpanForms } from './span-form.tsx';
import type { Wish } from './walk.ts';

export type StudioName = { readonly id: string; readonly name: string };
/** The view of the calendar. `day`: null for today. `studioId`: the room of a week, or null for all rooms. */
export type CalendarView = { readonly view: View; readonly day: StudioDate | null; readonly studioId: string | null };
type Hours = { readonly studioId: string; readonly start: Date; readonly end: Date };
/** The forms of other parts that the calendar opens. */
export type CalendarForms = SpanForms & {
  readonly reopen: (closure: Entry, studioName: string, onDone: () => void) => ReactNode;
  /** Renders the form that gives a booking its new hours. */
  readonly move: (entry: Entry, hours: Hours, onDone: () => void) => ReactNode;
};
type Open =
  | { readonly kind: 'create'; readonly span: Span }
  | { readonly kind: 'move'; readonly entry: Entry; readonly span: Span }
  | { readonly kind: 'reopen'; readonly entry: Entry }
  | { readonly kind: 'feeds' };

/** Shows the days and weeks of the rooms, with everything that is booked, held or closed. */
export function Calendar({
  studios,
  shown,
  forms,
  onShow,
  onBooking,
}: {
  studios: readonly StudioName[];
  shown: CalendarView;
  forms: CalendarForms;
  onShow: (view: CalendarView) => void;
  onBooking: (reference: string) => void;
}) {
  const client = useQueryClient();
  const now = useNow(30_000);
  const [open, setOpen] = useState<Open | null>(null);
  const day = shown.day ?? studioDate(now);
  const studioId = shown.view === 'day' ? null : shown.studioId;
  useLive('staff', queryKeys.staffCalendar.all);
  const goTo = (next: StudioDate, view = shown.view): void =>
    onShow({ ...shown, view, day: next === studioDate(now) ? null : next });
  const step = shown.view === 'day' ? 1 : 7;
  function onWish(wish: Wish): void {
    if (wish.kind === 'page') goTo(addDays(day, wish.by * step));
    else if (wish.kind !== 'open') setOpen(wish);
    else if (wish.entry.kind === 'closure') setOpen({ kind: 'reopen', entry: wish.entry });
    else if (wish.entry.reference !== null) onBooking(wish.entry.reference);
  }
  return (
    <section aria-labelledby="calendar-days" className="space-y-5">
      <Header
        studios={studios}
        shown={{ ...shown, day }}
        today={studioDate(now)}
        onShow={(next) => onShow({ ...next, day: next.day === studioDate(now) ? null : next.day })}
      />
      <FreeDays view={shown.view} day={day} studioId={studioId} now={now} onDay={(next) => goTo(next, 'day')} />
      <Days view={shown.view} day={day} studioId={studioId} studios={studios} now={now} onWish={onWish} />
      <Button tone="plain" onClick={() => setOpen({ kind: 'feeds' })}>
        Subscribe to calendar
      </Button>
      <OpenDialog
        open={open}
        studios={studios}
        forms={forms}
        onBooking={onBooking}
        onClose={() => {
          setOpen(null);
          void client.invalidateQueries({ queryKey: queryKeys.staffCalendar.all });
        }}
      />
    </section>
  );
}

function Days({
  view,
  day,
  studioId,
  studios,
  now,
  onWish,
}: {
  view: View;
  day: StudioDate;
  studioId: string | null;
  studios: readonly StudioName[];
  now: Date;
  onWish: (wish: Wish) => void;
}) {
  const { first, count } = getDays(view, day);
  const read = useQuery({
    queryKey: queryKeys.staffCalendar.of('days', first, count, studioId),
    queryFn: () => readCalendar({ first, days: count, studioId }),
    refetchInterval: 60_000,
  });
  const columns = getColumns(view, day, studios, studioId);
  return (
    <Loaded
      query={{ ...read, data: columns.length === 0 ? undefined : read.data }}
      what="the calendar"
      why={describeLoadError}
      skeleton="h-[78dvh]"
    >
      {(entries) => (
        <>
          {entries.length < ENTRIES_MAX ? null : (
            <Notice tone="warn">
              <p>Some entries are hidden. Choose one room to see all of them.</p>
            </Notice>
          )}
          <Grid view={view} shown={{ columns, entries, now }} onWish={onWish} />
        </>
      )}
    </Loaded>
  );
}

const TITLES: Readonly<Record<Open['kind'], string>> = {
  create: 'These hours',
  move: 'Move booking?',
  reopen: 'Reopen these hours?',
  feeds: 'Subscribe to calendar',
};

function OpenDialog({
  open,
  studios,
  forms,
  onBooking,
  onClose,
}: {
  open: Open | null;
  studios: readonly StudioName[];
  forms: CalendarForms;
  onBooking: (reference: string) => void;
  onClose: () => void;
}) {
  const getName = (studioId: string): string => studios.find(({ id }) => id === studioId)?.name ?? '';
  const show = (reference: string): void => {
    onClose();
    onBooking(reference);
  };
  return (
    <Dialog open={open !== null} title={open === null ? '' : TITLES[open.kind]} wide onClose={onClose}>
      {open?.kind === 'create' ? (
        <SpanForm
          span={open.span}
          studioName={getName(open.span.studioId)}
          forms={forms}
          onBooked={show}
          onClose={onClose}
        />
      ) : null}
      {open?.kind === 'move' ? (
        <div className="space-y-4">
          <p className="font-semibold">
            {open.entry.label}, {open.entry.reference}
          </p>
          {forms.move(open.entry, { studioId: open.span.studioId, ...getTimes(open.span) }, onClose)}
        </div>
      ) : null}
      {open?.kind === 'reopen' ? forms.reopen(open.entry, getName(open.entry.studioId), onClose) : null}
      {open?.kind === 'feeds' ? <Feeds studios={studios} /> : null}
    </Dialog>
  );
}
