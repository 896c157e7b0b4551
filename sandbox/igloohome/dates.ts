/** A parsed igloohome date. `wall` is its local time read as UTC, in milliseconds; `clock` is `HH:mm`. */
export type WrittenDate = { readonly time: number; readonly wall: number; readonly clock: string };

const FORM = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):00([+-])(\d{2}):(\d{2})$/;

/**
 * Parses `YYYY-MM-DDTHH:00:00±hh:mm`. Precision `minutes`, for codes through the bridge, also accepts `HH:mm:00`. Returns null for `Z`,
 * milliseconds, a missing offset and days that do not exist.
 */
export function readDate(value: unknown, precision: 'hours' | 'minutes'): WrittenDate | null {
  const match = typeof value === 'string' ? FORM.exec(value) : null;
  if (!match) return null;
  const [, day = '', hour = '', minute = '', sign, offsetHours, offsetMinutes] = match;
  if (precision === 'hours' && minute !== '00') return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(offsetHours) > 14 || Number(offsetMinutes) > 59) return null;
  const wall = Date.parse(`${day}T${hour}:${minute}:00Z`);
  if (Number.isNaN(wall) || new Date(wall).toISOString().slice(0, 10) !== day) return null;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000 * (sign === '-' ? -1 : 1);
  return { time: wall - offset, wall, clock: `${hour}:${minute}` };
}
