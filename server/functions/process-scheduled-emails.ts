import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'process-scheduled-emails', max: 60, seconds: 60 };

/** Runs the jobs that are due: `{processed}`. For staff and the service key only. */
export function processScheduledEmails(context: { drain: () => Promise<number> }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle() {
      return json({ processed: await context.drain() });
    },
  };
}
