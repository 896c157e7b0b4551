import type { Caller } from '#server/http/caller.ts';
import { Refusal } from '#server/operations/refusal.ts';
import { json } from './answers.ts';
import type { ServerFunction } from './function.ts';

/** Runs what is due now: `{processed}`. Staff or the service key only (decisions T-59). */
export function processScheduledEmails(parts: { drain: () => Promise<number>; isStaff: (caller: Caller) => Promise<boolean> }): ServerFunction {
  return {
    methods: ['POST'],
    async handle({ caller }) {
      if (!(await parts.isStaff(caller))) throw new Refusal('not_yours', 'Only staff can do this.');
      return json({ processed: await parts.drain() });
    },
  };
}
