import { z } from 'zod';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';
import { AppError } from '#web/lib/errors.ts';
import type { ClosureDraft } from './closure-form.ts';

export type StudioName = { readonly id: string; readonly name: string };
/** Hours that are closed, in one or more weeks. */
export type Closure = {
  readonly id: string;
  readonly studioIds: readonly string[];
  /** The current or next occurrence. */
  readonly start: Date;
  readonly end: Date;
  /** The number of occurrences from this one on, as far as they are known. */
  readonly times: number;
  /** Whether the closure is repeated every week without an end. */
  readonly endless: boolean;
  readonly reason: string;
  readonly isPublic: boolean;
};

/** The number of spans that are read at a time. There is a span for each studio and week. */
const SPANS = 1_000;

/** Reads the closures that have not ended, next first. */
export async function readClosures(): Promise<Closure[]> {
  const now = new Date();
  const rows: Span[] = [];
  for (let read = SPANS; read === SPANS;) {
    const page = await readSpans(now, rows.length);
    rows.push(...page);
    read = page.length;
  }
  return [...Map.groupBy(rows, (row) => row.closure_id)].flatMap(([id, list]) => {
    const [first] = list;
    if (first === undefined) return [];
    return {
      id,
      studioIds: [...new Set(list.map((row) => row.studio_id))],
      start: new Date(first.start_time),
      end: new Date(first.end_time),
      times: new Set(list.map((row) => row.start_time)).size,
      reason: first.reason ?? '',
      isPublic: first.public === true,
      endless: first.endless === true,
    };
  });
}

type Span = Awaited<ReturnType<typeof readSpans>>[number];
async function readSpans(now: Date, from: number) {
  const { data, error } = await rest
    .from('closed_hours')
    .select('closure_id,studio_id,start_time,end_time,public,reason,endless')
    .gt('end_time', now.toISOString())
    // Hours outside the opening hours are left out, because staff set them with the room.
    .or('reason.is.null,reason.neq.Outside the opening hours')
    .order('start_time')
    .order('closure_id')
    .order('studio_id')
    .range(from, from + SPANS - 1);
  if (error) throw error;
  return rowsWith(data, 'closure_id', 'studio_id', 'start_time', 'end_time');
}

export function closeHours(draft: ClosureDraft): Promise<CallAnswer<'staff-close'>> {
  return callFunction('staff-close', draft);
}
/** Opens the occurrence of a closure that starts at `start`, or that one and all following. */
export function reopenHours(closureId: string, start: Date, following: boolean): Promise<CallAnswer<'staff-reopen'>> {
  return callFunction('staff-reopen', { closureId, startTime: start.toISOString(), following });
}
/** The queries that become stale when hours are closed or reopened. */
export const CLOSURE_CHANGES = [queryKeys.closures.all, queryKeys.availability.all, queryKeys.staffCalendar.all];

const inTheWaySchema = z.array(
  z.object({
    reference: z.string(),
    studioName: z.string(),
    startTime: z.coerce.date(),
    endTime: z.coerce.date(),
    status: z.string(),
  }),
);
/** A booking that overlaps a refused closure. */
export type BookingInTheWay = z.infer<typeof inTheWaySchema>[number];

/** Returns the bookings named in a refusal of `closeHours`; none for other errors. */
export function bookingsInTheWay(error: unknown): readonly BookingInTheWay[] {
  const found = error instanceof AppError ? inTheWaySchema.safeParse(error.details['bookings']) : null;
  return found?.data ?? [];
}
