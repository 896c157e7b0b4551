import { z } from 'zod';
import type { AccessContext } from '#server/operations/access/context.ts';
import { gatherEvidence } from '#server/operations/exports/dispute-evidence.ts';
import { readDisputes } from '#server/operations/staff/read-disputes.ts';
import type { ServerFunction } from './function.ts';
import { actorOf, bookingIdField, parse } from './requests.ts';
import { htmlFile, json } from './responses.ts';

const bodySchema = z.object({ bookingId: bookingIdField });

/** Reads the disputes of a booking: `{disputes}`, oldest first. */
export function staffDisputes({ access }: { access: AccessContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'money',
    limit: { name: 'staff-disputes', max: 120, seconds: 60 },
    handle: async ({ body }) => json({ disputes: await readDisputes(access, parse(bodySchema, body).bookingId) }),
  };
}

/** Gathers the evidence for a dispute about a booking into one HTML file for download. */
export function staffDisputeEvidence({ access }: { access: AccessContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'money',
    limit: { name: 'staff-dispute-evidence', max: 20, seconds: 60 },
    async handle({ caller, body }) {
      const { bookingId } = parse(bodySchema, body);
      const { html, name } = await gatherEvidence(access, bookingId, actorOf(caller));
      return htmlFile(html, name);
    },
  };
}
