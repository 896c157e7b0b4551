import { manualPowerControl as contract } from '#contracts/power/manual-power-control.ts';
import { switchPower } from '#server/operations/power/switch-power.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const manualPowerControl = defineHandler(contract, async (services, { caller, body }) => {
  const on = body.action === 'turn_on';
  await switchPower(services, { on, studioId: body.studioId ?? null }, getActor(caller));
  return { success: true as const, message: on ? 'Power turned on' : 'Power turned off' };
});
