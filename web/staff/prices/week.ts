/** Days in the order of the table, Monday first. Price lists begin with Sunday. */
export const WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const DAY = 24;

/** Moves Sunday from the beginning of a price list to its end. */
export const mondayFirst = (cents: readonly number[]): number[] => [...cents.slice(DAY), ...cents.slice(0, DAY)];
/** Moves Sunday from the end back to the beginning. */
export const sundayFirst = (cents: readonly number[]): number[] => [...cents.slice(-DAY), ...cents.slice(0, -DAY)];
