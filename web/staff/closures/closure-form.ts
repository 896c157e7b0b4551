import { z } from 'zod';
import { hourExists, isStudioDate, slotStart } from '#rules/studio-time.ts';

/** Value of the choice that closes every studio. */
export const ALL_STUDIOS = 'all';

/** The form of a closure as it is typed. Hours are "0" to "23". */
const typedClosureSchema = z.object({
  studio: z.string(),
  fromDate: z.string().refine(isStudioDate, 'Choose the first day.'),
  fromHour: z.string(),
  toDate: z.string().refine(isStudioDate, 'Choose the last day.'),
  toHour: z.string(),
  weeks: z.string().regex(/^\d{1,3}$/, 'Enter 1 to 104 weeks.'),
  reason: z.string().trim().min(1, 'Say why, for your colleagues.').max(200, 'At most 200 characters.'),
  isPublic: z.boolean(),
});
export type TypedClosure = z.input<typeof typedClosureSchema>;
/** The body of `staff-close`. */
export type ClosureDraft = {
  readonly studioId: string | null;
  readonly startTime: string;
  readonly endTime: string;
  readonly weeks: number;
  readonly reason: string;
  readonly public: boolean;
};

/** The form of a closure, checked, with its times as instants. */
export const closureFormSchema = typedClosureSchema.transform((typed, context): ClosureDraft => {
  const start = startOf(typed.fromDate, typed.fromHour);
  const end = startOf(typed.toDate, typed.toHour);
  const weeks = Number(typed.weeks);
  const refuse = (path: keyof TypedClosure, message: string): never => {
    context.addIssue({ code: 'custom', path: [path], message });
    return z.NEVER;
  };
  if (start === null) return refuse('fromHour', 'The clocks skip this hour. Choose another.');
  if (end === null) return refuse('toHour', 'The clocks skip this hour. Choose another.');
  if (end <= start) return refuse('toHour', 'The end must be after the start.');
  if (weeks < 1 || weeks > 104) return refuse('weeks', 'Enter 1 to 104 weeks.');
  return {
    studioId: typed.studio === ALL_STUDIOS ? null : typed.studio,
    startTime: start.toISOString(),
    endTime: end.toISOString(),
    weeks,
    reason: typed.reason,
    public: typed.isPublic,
  };
});

const startOf = (date: string, hour: string): Date | null =>
  hourExists(date, Number(hour)) ? slotStart(date, Number(hour)) : null;
