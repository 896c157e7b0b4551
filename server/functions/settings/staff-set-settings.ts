import { staffSetSettings as contract } from '#contracts/settings/staff-set-settings.ts';
import { setSettings } from '#server/operations/settings/set-settings.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffSetSettings = defineHandler(contract, async (services, { caller, body }) => ({
  settings: await setSettings(services, body, getActor(caller)),
}));
