import type { Article, BusinessSettings } from '#rules/business/business.ts';
import type { SettingsChange } from '#rules/business/settings-change.ts';

/** The names of the settings, in the order in which staff see them. */
export const NAMES = {
  name: 'Name',
  legalName: 'Legal name',
  abn: 'ABN',
  address: 'Address',
  directions: 'Directions',
  directionsPhoto: 'Directions photo',
  directionsPhotoText: 'Photo description',
  phone: 'Phone',
  email: 'Email',
  instagram: 'Instagram',
  arrivalNotes: 'Arrival notes',
  notice: 'Site notice',
  holdMinutes: 'Minutes to pay',
  horizonDays: 'Days bookable ahead',
  freeCancelHours: 'Free to cancel until',
  maxLiveHolds: 'Unpaid bookings at a time',
  holdsPerHour: 'Unpaid bookings per hour',
  maxUnpaidHours: 'Unpaid hours at a time',
  maxUnpaidHoursOfBooking: 'Unpaid hours per booking',
  salesAccount: 'Sales account',
  terms: 'Terms & Conditions',
  privacy: 'Privacy',
} as const satisfies Record<keyof SettingsChange, string>;

type Key = keyof typeof NAMES;
const KEYS = Object.keys(NAMES).filter((key): key is Key => key in NAMES);

const same = (value: unknown, other: unknown): boolean => canonical(value) === canonical(other);
/** Serialises a value regardless of the order of the keys in articles, which the database may have changed. */
const canonical = (value: unknown): string =>
  JSON.stringify(Array.isArray(value) ? value.map(({ title, text }: Article) => [title, text]) : value);

/** Returns the settings whose new values differ from the current ones. */
export function getChanges(current: BusinessSettings, requested: SettingsChange): SettingsChange {
  const keys = KEYS.filter((key) => requested[key] !== undefined && !same(current[key], requested[key]));
  return Object.fromEntries(keys.map((key) => [key, requested[key]]));
}

/** Names the settings that differ between two versions. */
export function namesOfChanges(before: BusinessSettings, after: BusinessSettings): string[] {
  return KEYS.filter((key) => !same(before[key], after[key])).map((key) => NAMES[key]);
}

/** Lists what a change does, with values formatted for people. */
export function describeChanges(
  current: BusinessSettings,
  changes: SettingsChange,
): { name: string; before: string; after: string }[] {
  return KEYS.filter((key) => changes[key] !== undefined).map((key) => ({
    name: NAMES[key],
    before: inWords(key, current[key]),
    after: inWords(key, changes[key], true),
  }));
}

const UNITS: Partial<Record<Key, string>> = {
  holdMinutes: 'minutes',
  horizonDays: 'days',
  freeCancelHours: 'hours before the start',
  maxUnpaidHours: 'hours',
  maxUnpaidHoursOfBooking: 'hours',
};

function inWords(key: Key, value: string | number | readonly Article[] | undefined, isNew = false): string {
  if (typeof value === 'object') return `${value.length} ${value.length === 1 ? 'section' : 'sections'}`;
  if (value === '' || value === undefined) return 'none';
  if (key === 'directionsPhoto') return isNew ? 'the photo in the preview' : 'a photo';
  return UNITS[key] === undefined ? String(value) : `${value} ${UNITS[key]}`;
}
