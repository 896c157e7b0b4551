import { z } from 'zod';
import { daysBetween, hourExists, isStudioDate, slotStart } from '#rules/studio-time.ts';

/** Value of the choice that closes every studio. */
export const ALL_STUDIOS = 'all';

/** How many times a closure comes at most, as on the server. */
const WEEKS_MAX = 104;

/** The form of a closure as it is typed. Hours are "0" to "23". */
const typedClosureSchema = z.object({
  studio: z.string(),
  fromDate: z.string().refine(isStudioDate, 'Choose the first day.'),
  fromHour: z.string(),
  toDate: z.string().refine(isStudioDate, 'Choose the last day.'),
  toHour: z.string(),
  /** The last day of a weekly closure; empty for one that comes once. */
  repeatUntil: z.string().refine((text) => text === '' || isStudioDate(text), 'Choose a day.'),
  reason: z.string().trim().min(1, 'Say why, for your colleagues.').max(200, 'At most 200 characters.'),
  isPublic: z.boolean(),
});
export type TypedClosure = z.input<typeof typedClosureSchema>;
/** The body of `staff-close`. */
export type ClosureDraft = {
  readonly studioId: string | null;
  readonly startTime: string;
  readonly endTime: string;
  /** The last day on which a weekly closure may begin. */
  readonly repeatUntil?: string;
  readonly reason: string;
  readonly public: boolean;
};

/** The form of a closure, checked, with its times as instants. */
export const closureFormSchema = typedClosureSchema.transform((typed, context): ClosureDraft => {
  const start = startOf(typed.fromDate, typed.fromHour);
  const end = startOf(typed.toDate, typed.toHour);
  const refuse = (path: keyof TypedClosure, message: string): never => {
    context.addIssue({ code: 'custom', path: [path], message });
    return z.NEVER;
  };
  if (start === null) return refuse('fromHour', 'The clocks skip this hour. Choose another.');
  if (end === null) return refuse('toHour', 'The clocks skip this hour. Choose another.');
  if (end <= start) return refuse('toHour', 'The end must be after the start.');
  if (typed.repeatUntil !== '' && typed.repeatUntil < typed.fromDate)
    return refuse('repeatUntil', 'The last day must not be before the first.');
  if (typed.repeatUntil !== '' && daysBetween(typed.fromDate, typed.repeatUntil) >= 7 * WEEKS_MAX)
    return refuse('repeatUntil', 'At most two years ahead.');
  return {
    studioId: typed.studio === ALL_STUDIOS ? null : typed.studio,
    startTime: start.toISOString(),
    endTime: end.toISOString(),
    reason: typed.reason,
    public: typed.isPublic,
    ...(typed.repeatUntil === '' ? {} : { repeatUntil: typed.repeatUntil }),
  };
});

const startOf = (date: string, hour: string): Date | null =>
  hourExists(date, Number(hour)) ? slotStart(date, Number(hour)) : null;
