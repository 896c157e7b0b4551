import { z } from 'zod';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { exportList } from '#server/operations/exports/lists.ts';
import { actorOf, parse } from './requests.ts';
import { csvFile } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-export-list', max: 30, seconds: 60 };
const bodySchema = z.discriminatedUnion('list', [
  z.object({ list: z.literal('mailing-list') }),
  z.object({ list: z.literal('gift-codes'), batchId: z.uuid() }),
]);

/** Exports the mailing list, or the gift codes of a batch, as CSV. */
export function staffExportList({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'settings',
    limit: LIMIT,
    async handle({ caller, body }) {
      const request = parse(bodySchema, body);
      return csvFile(await exportList(booking, request, actorOf(caller)), request.list);
    },
  };
}
