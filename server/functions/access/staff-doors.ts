import { staffDoors as contract } from '#contracts/access/staff-doors.ts';
import { readDoors } from '#server/operations/access/doors.ts';
import { defineHandler } from '../handler.ts';

export const staffDoors = defineHandler(contract, async (services) => readDoors(services));
