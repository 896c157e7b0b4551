import { z } from 'zod';
import { callFunction } from '#web/data/fetch-client.ts';

const entrySchema = z.object({
  at: z.coerce.date(),
  kind: z.string(),
  studioId: z.string(),
  studioName: z.string(),
  reference: z.string().nullable(),
  byCode: z.boolean(),
  startTime: z.coerce.date().nullable(),
  customerName: z.string().nullable(),
  actor: z.string().nullable(),
});
const logSchema = z.object({ entries: z.array(entrySchema) });
export type DoorLogEntry = z.infer<typeof entrySchema>;

/** The number of entries that are read at once. */
export const ENTRIES_READ = 100;

/** Reads what the locks reported, newest first. `before`: reads only older entries. */
export async function readDoorLog({
  before,
  ...place
}: {
  studioId?: string;
  bookingId?: string;
  before?: Date;
}): Promise<DoorLogEntry[]> {
  const of = before === undefined ? place : { ...place, before: before.toISOString() };
  return logSchema.parse(await callFunction('staff-door-log', of)).entries;
}
