import type { People } from '#server/operations/people.ts';
import { json } from './answers.ts';
import type { ServerFunction } from './function.ts';

/** Runs what is due now: `{processed}`. Staff or the service key only (decisions T-59). */
export function processScheduledEmails(parts: { drain: () => Promise<number>; people: People }): ServerFunction {
  return {
    methods: ['POST'],
    async handle({ caller }) {
      await parts.people.requireStaff(caller);
      return json({ processed: await parts.drain() });
    },
  };
}
