import { z } from 'zod';
import { daysBetween, isStudioDate, studioDate } from '#rules/studio-time.ts';
import { defineCall } from '../core/define-call.ts';
import { instantField } from '../core/fields.ts';

/** The most weeks of a repeated closure, as in the constraint of the table. */
const WEEKS_MAX = 104;

const body = z
  .object({
    studioId: z.uuid().nullable().describe('Null closes every room.'),
    startTime: instantField,
    endTime: instantField,
    weeks: z.int().min(1).max(WEEKS_MAX).optional().describe('For how many weeks the closure repeats.'),
    repeatUntil: z
      .string()
      .refine(isStudioDate, 'must be a day, YYYY-MM-DD')
      .optional()
      .describe('The last day in Sydney, `YYYY-MM-DD`, on which a weekly repetition can begin.'),
    endless: z.boolean().default(false).describe('Repeats the closure each week until staff open it again.'),
    reason: z.string().trim().min(1).max(200),
    public: z.boolean().default(false).describe('Whether customers may read the reason.'),
  })
  .transform(({ weeks, repeatUntil, endless, ...closure }, context) => {
    const refuse = (message: string): never => {
      context.addIssue({ code: 'custom', path: ['repeatUntil'], message });
      return z.NEVER;
    };
    if ([weeks !== undefined, repeatUntil !== undefined, endless].filter(Boolean).length > 1)
      return refuse('send one of weeks, repeatUntil and endless');
    if (endless) return { ...closure, weeks: 'endless' as const };
    if (repeatUntil === undefined) return { ...closure, weeks: weeks ?? 1 };
    const times = Math.floor(daysBetween(studioDate(closure.startTime), repeatUntil) / 7) + 1;
    return times < 1 || times > WEEKS_MAX
      ? refuse(`must be between the first day and ${WEEKS_MAX} weeks later`)
      : { ...closure, weeks: times };
  });

export const staffClose = defineCall({
  name: 'staff-close',
  summary:
    'Closes hours of one room, or of all rooms. At most one of `weeks`, `repeatUntil` and `endless` repeats the ' +
    'closure each week. It is refused while bookings are in the way. A repeated call answers with the same closure, ' +
    'and closes its weeks that were opened again in the meantime.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body,
  answer: z.strictObject({ closureId: z.uuid() }),
  refusals: {
    not_found: { message: 'Studio not found' },
    slot_taken: {
      message: 'A booking is in the way. Move or cancel it first.',
      bookings: [
        {
          id: '66666666-6666-4666-8666-666666666666',
          reference: '7KQM-4TXR',
          studioId: '55555555-5555-4555-8555-555555555555',
          studioName: 'Studio A',
          startTime: '2031-05-02T00:00:00+00:00',
          endTime: '2031-05-02T02:00:00+00:00',
          status: 'confirmed',
        },
      ],
    },
  },
  example: {
    body: {
      studioId: '55555555-5555-4555-8555-555555555555',
      startTime: '2031-05-02T00:00:00Z',
      endTime: '2031-05-02T02:00:00Z',
      weeks: 4,
      reason: 'Cleaning',
    },
    answer: { closureId: '77777777-7777-4777-8777-777777777777' },
  },
});
