import { BRIDGE_ID, HOME_ID, KEYPAD_ID, type Site } from './site.ts';

/** A device as the vendor's cloud describes it. */
export type Device = {
  readonly id: string;
  readonly type: 'Lock' | 'Bridge' | 'Keypad';
  readonly deviceId: string;
  readonly deviceName: string;
  readonly pairedAt: string;
  readonly homeId: readonly string[];
  readonly linkedDevices: readonly { readonly type: string; readonly deviceId: string }[];
  readonly batteryLevel: number | null;
};

const PAIRED_AT = '2025-09-01T00:00:00.000Z';
const KEYPAD_BATTERY = 88;

/** Lists the locks, their bridge and a keypad on the first lock. */
export function describeDevices(site: Site): Device[] {
  const locks = site.locks.map((lock) => ({ type: 'Lock', deviceId: lock.id }));
  return [
    ...site.locks.map((lock) =>
      createDevice('Lock', lock.id, lock.name, [{ type: 'Bridge', deviceId: BRIDGE_ID }], lock.battery),
    ),
    createDevice('Bridge', BRIDGE_ID, 'Bridge', locks, null),
    createDevice('Keypad', KEYPAD_ID, 'Keypad', locks.slice(0, 1), KEYPAD_BATTERY),
  ];
}

function createDevice(
  type: Device['type'],
  id: string,
  name: string,
  linkedDevices: Device['linkedDevices'],
  batteryLevel: number | null,
): Device {
  return {
    id,
    type,
    deviceId: id,
    deviceName: name,
    pairedAt: PAIRED_AT,
    homeId: [HOME_ID],
    linkedDevices,
    batteryLevel,
  };
}
