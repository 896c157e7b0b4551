import { staffDoors as contract } from '#contracts/access/staff-doors.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { readDoors } from '#server/operations/access/doors.ts';
import type { PowerContext } from '#server/operations/power/switch-power.ts';
import { defineHandler } from '../handler.ts';

type Context = { readonly access: AccessContext; readonly power: PowerContext };

export const staffDoors = defineHandler(contract, async ({ access, power }: Context) => readDoors(access, power.plugs));
