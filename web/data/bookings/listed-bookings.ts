import { rowsWith } from '../rows.ts';
import { type Booking, parseRow } from './booking.ts';

/** A booking in a staff list. */
export type ListedBooking = Pick<
  Booking,
  'id' | 'reference' | 'studioName' | 'startTime' | 'endTime' | 'status' | 'finalCents'
>;

/** The columns of a listed booking, for a select. */
export const LISTED_COLUMNS = 'id,reference,studio_name,start_time,end_time,status,final_cost';
const LISTED = ['id', 'reference', 'studio_name', 'start_time', 'end_time', 'status', 'final_cost'] as const;

/** Parses rows with at least the columns of a listed booking. */
export const parseListed = <Row extends Readonly<Record<(typeof LISTED)[number], unknown>>>(rows: readonly Row[]) =>
  rowsWith(rows, ...LISTED).map(parseRow);
