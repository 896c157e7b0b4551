import { z } from 'zod';
import { daysBetween, hourExists, isStudioDate, slotStart } from '#rules/studio-time.ts';

/** The option that closes every studio. */
export const ALL_STUDIOS = 'all';

/** The highest number of weeks of a closure, as on the server. */
const WEEKS_MAX = 104;

/** How often a closure is repeated: once, every week until a day, or every week without an end. */
const REPEATS = ['once', 'until', 'always'] as const;

/** The form of a closure as typed. Hours are "0" to "23". */
const typedClosureSchema = z.object({
  studio: z.string(),
  fromDate: z.string().refine(isStudioDate, 'Choose the first day.'),
  fromHour: z.string(),
  toDate: z.string().refine(isStudioDate, 'Choose the last day.'),
  toHour: z.string(),
  repeat: z.enum(REPEATS),
  /** The last day of a closure that is repeated until a day; empty for other closures. */
  repeatUntil: z.string(),
  reason: z.string().trim().min(1, 'Enter a reason for your colleagues.').max(200, 'Use at most 200 characters.'),
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
  /** Whether the closure is repeated every week without an end. */
  readonly endless?: true;
  readonly reason: string;
  readonly public: boolean;
};

/** Converts the form of a closure to the body of `staff-close`, with its times as instants. */
export const closureFormSchema = typedClosureSchema.transform((typed, context): ClosureDraft => {
  const start = getStart(typed.fromDate, typed.fromHour);
  const end = getStart(typed.toDate, typed.toHour);
  const refuse = (path: keyof TypedClosure, message: string): never => {
    context.addIssue({ code: 'custom', path: [path], message });
    return z.NEVER;
  };
  if (start === null) return refuse('fromHour', 'The clocks skip this hour. Choose another one.');
  if (end === null) return refuse('toHour', 'The clocks skip this hour. Choose another one.');
  if (end <= start) return refuse('toHour', 'The end must be after the start.');
  const until = typed.repeat === 'until' ? typed.repeatUntil : null;
  if (until !== null && !isStudioDate(until)) return refuse('repeatUntil', 'Choose the last day.');
  if (until !== null && until < typed.fromDate)
    return refuse('repeatUntil', 'The last day must not be before the first.');
  if (until !== null && daysBetween(typed.fromDate, until) >= 7 * WEEKS_MAX)
    return refuse('repeatUntil', 'Choose a day within two years, or repeat weekly with no end date.');
  return {
    studioId: typed.studio === ALL_STUDIOS ? null : typed.studio,
    startTime: start.toISOString(),
    endTime: end.toISOString(),
    reason: typed.reason,
    public: typed.isPublic,
    ...(until === null ? {} : { repeatUntil: until }),
    ...(typed.repeat === 'always' ? { endless: true } : {}),
  };
});

const getStart = (date: string, hour: string): Date | null =>
  hourExists(date, Number(hour)) ? slotStart(date, Number(hour)) : null;
