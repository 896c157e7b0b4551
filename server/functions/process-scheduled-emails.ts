import { json } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'process-scheduled-emails', max: 60, seconds: 60 };

/** Runs what is due now: `{processed}`. Staff or the service key only (decisions T-59). */
export function processScheduledEmails(parts: { drain: () => Promise<number> }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    limit: LIMIT,
    async handle() {
      return json({ processed: await parts.drain() });
    },
  };
}
