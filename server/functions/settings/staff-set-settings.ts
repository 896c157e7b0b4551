import { staffSetSettings as contract } from '#contracts/settings/staff-set-settings.ts';
import { setSettings } from '#server/operations/settings/set-settings.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffSetSettings = defineHandler(contract, async (services, { caller, body }) => ({
  settings: await setSettings(services, body, actorOf(caller)),
}));
