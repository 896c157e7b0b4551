import { z } from 'zod';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';

const instant = z.coerce.date();
const doorSchema = z.object({
  studioId: z.string(),
  studioName: z.string(),
  lockId: z.string().nullable(),
  known: z.boolean().nullable(),
  batteryPercent: z.number().nullable(),
  isBatteryLow: z.boolean(),
  online: z.boolean().nullable(),
  heardAt: instant.nullable(),
  checkedAt: instant.nullable(),
  lastOpening: z.object({ at: instant, reference: z.string(), startTime: instant }).nullable(),
  codes: z.array(z.object({ reference: z.string(), startsAt: instant, endsAt: instant })),
});
const lightsSchema = z.object({
  plug: z.string().nullable(),
  rooms: z.array(z.object({ studioId: z.string(), studioName: z.string() })),
  isSetUp: z.boolean(),
  on: z.boolean().nullable(),
});
const doorsSchema = z.object({
  doors: z.array(doorSchema),
  canOpen: z.boolean(),
  lights: z.array(lightsSchema),
});
export type Door = z.infer<typeof doorSchema>;
/** The lights on a plug. */
export type Lights = z.infer<typeof lightsSchema>;
export type DoorsAndLights = z.infer<typeof doorsSchema>;

export async function readDoors(): Promise<DoorsAndLights> {
  return doorsSchema.parse(await callFunction('staff-doors', {}));
}
export function openDoor(studioId: string, reason: string): Promise<CallAnswer<'staff-open-door'>> {
  return callFunction('staff-open-door', { studioId, reason });
}
/** Turns the lights of a room on or off, together with those on the same plug. */
export function switchLights({
  studioId,
  on,
}: {
  studioId: string | undefined;
  on: boolean;
}): Promise<CallAnswer<'manual-power-control'>> {
  return callFunction('manual-power-control', { action: on ? 'turn_on' : 'turn_off', studioId });
}
