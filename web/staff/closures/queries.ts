import { z } from 'zod';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';
import { AppError } from '#web/lib/errors.ts';
import type { ClosureDraft } from './closure-form.ts';

export type StudioName = { readonly id: string; readonly name: string };
/** Hours that are closed, with the weeks in which they still are. */
export type Closure = {
  readonly id: string;
  readonly studioIds: readonly string[];
  /** The next time; or the one that is on. */
  readonly start: Date;
  readonly end: Date;
  /** How many times it still comes, this one included, as far as is known. */
  readonly times: number;
  /** Whether it goes on every week without an end. */
  readonly endless: boolean;
  readonly reason: string;
  readonly isPublic: boolean;
};

/** How many spans are read at a time: there is one for each studio and week. */
const SPANS = 1_000;

/** Reads the closures that are not over, next first. */
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
    // Staff set them with the room.
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
/** Opens the week of a closure that starts then, or that and all that follow. */
export function reopenHours(closureId: string, start: Date, following: boolean): Promise<CallAnswer<'staff-reopen'>> {
  return callFunction('staff-reopen', { closureId, startTime: start.toISOString(), following });
}
/** What closing and reopening change. */
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
/** A booking that a refused closure would have overlapped. */
export type BookingInTheWay = z.infer<typeof inTheWaySchema>[number];

/** Returns the bookings that a refusal of `closeHours` names; none for other errors. */
export function bookingsInTheWay(error: unknown): readonly BookingInTheWay[] {
  const found = error instanceof AppError ? inTheWaySchema.safeParse(error.details['bookings']) : null;
  return found?.data ?? [];
}
