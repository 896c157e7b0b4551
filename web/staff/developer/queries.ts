import { useQuery } from '@tanstack/react-query';
import { testMailSchedule } from '#rules/access.ts';
import { type Booking, parseRow } from '#web/data/bookings/booking.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { errorCode } from '#web/lib/errors.ts';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

export type TestBooking = Pick<Booking, 'id' | 'reference' | 'studioName' | 'startTime' | 'endTime' | 'status'>;
/** A booking with its start as the text that is stored. */
export type StoredBooking = TestBooking & { readonly storedStart: string };
export type PinData = Extract<CallAnswer<'test-igloohome-pin'>, { readonly success: true }>['pinData'];
/** The result of testing an outside system. `error`: why it failed. */
export type Trial = {
  readonly success: boolean;
  readonly message?: string;
  readonly error?: string;
  readonly pinData?: PinData;
  readonly response?: unknown;
};
export type AccessCodeRow = {
  readonly id: string;
  readonly attempt: number;
  readonly status: string;
  readonly mode: string;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly created_at: string;
  readonly bookings: { readonly start_time: string | null; readonly studios: { readonly name: string } | null } | null;
};

/** The number of codes in the list. */
const CODES_SHOWN = 10;
/** Price of a test booking in AUD; nothing is charged. */
const TEST_COST = 100;
const HOUR_MS = 3_600_000;
/** The columns do not include the price, because the answer to an insert has none. */
const COLUMNS = 'id,reference,studio_name,start_time,end_time,status';
const REQUIRED = ['id', 'reference', 'studio_name', 'start_time', 'end_time', 'status'] as const;

type TrialName = 'test-igloohome-config' | 'test-igloohome-oauth' | 'test-igloohome-pin' | 'test-smart-plug';
export function runTrial(name: TrialName): Promise<Trial> {
  return callFunction(name, {});
}
export function switchPower(on: boolean): Promise<CallAnswer<'manual-power-control'>> {
  return callFunction('manual-power-control', { action: on ? 'turn_on' : 'turn_off' });
}
export function processMails(): Promise<CallAnswer<'process-scheduled-emails'>> {
  return callFunction('process-scheduled-emails', {});
}
export function generateCode(bookingId: string): Promise<CallAnswer<'generate-access-code'>> {
  return callFunction('generate-access-code', { bookingId });
}

/** Reads the account's test bookings that have not ended, earliest first. */
async function readTestBookings(userId: string): Promise<TestBooking[]> {
  const { data, error } = await rest
    .from('bookings')
    .select(COLUMNS)
    .eq('user_id', userId)
    .eq('notes', 'test')
    .eq('status', 'confirmed')
    .gt('end_time', new Date().toISOString())
    .order('start_time');
  if (error) throw error;
  return rowsWith(data, ...REQUIRED).map(parseRow);
}

/** Queries the account's test bookings. */
export function useTestBookings(userId: string | null) {
  return useQuery({
    queryKey: queryKeys.testBookings.of(userId),
    queryFn: () => readTestBookings(userId ?? ''),
    enabled: userId !== null,
  });
}

/** Books one hour in the first free room, starting in `minutesAhead` minutes. Throws if no room is free. */
export async function makeTestBooking(minutesAhead: number): Promise<TestBooking> {
  const studios = await rest.from('studios').select('id').order('name');
  if (studios.error) throw studios.error;
  const start = Date.now() + minutesAhead * 60_000;
  for (const studio of studios.data) {
    const { data, error } = await rest
      .from('bookings')
      .insert({
        studio_id: studio.id,
        start_time: new Date(start).toISOString(),
        end_time: new Date(start + HOUR_MS).toISOString(),
        total_hours: 1,
        base_cost: TEST_COST,
        status: 'confirmed',
        notes: 'test',
      })
      .select(COLUMNS)
      .single();
    const [booking] = rowsWith(data === null ? [] : [data], ...REQUIRED).map(parseRow);
    if (booking) return booking;
    if (errorCode(error) !== '23P01') throw error;
  }
  throw new Error('All studios are booked at that time. End a test booking first.');
}
/** Ends a test booking: frees its hour and removes its code from the lock. */
export async function endTestBooking(id: string): Promise<void> {
  const { data, error } = await rest.from('bookings').update({ status: 'cancelled' }).eq('id', id).select('id');
  if (error) throw error;
  if (data.length !== 1) throw new Error('The test booking was not ended.');
}

/** Schedules the access code mail, immediately or for its due time, and returns that time. The server decides who receives it. */
export async function scheduleMail(
  booking: Pick<Booking, 'id' | 'startTime'>,
  email: string,
  when: 'now' | 'due',
): Promise<Date> {
  const now = new Date();
  const due = when === 'now' ? null : testMailSchedule(booking.startTime, now);
  const { error } = await rest.from('scheduled_emails').insert({
    booking_id: booking.id,
    recipient_email: email,
    email_type: 'access_code',
    status: due?.status ?? 'pending_immediate',
    scheduled_for: (due?.at ?? now).toISOString(),
  });
  if (error) throw error;
  return due?.at ?? now;
}

/** Reads the newest access codes, without their digits. */
export async function readAccessCodes(): Promise<AccessCodeRow[]> {
  const { data, error } = await rest
    .from('booking_access_codes')
    .select('*, bookings(start_time, end_time, studios(name))')
    .order('created_at', { ascending: false })
    .limit(CODES_SHOWN);
  if (error) throw error;
  return data;
}

/** Reads a booking by id, or the newest one if the id is empty. Null if there is none. */
export async function readBooking(id: string): Promise<StoredBooking | null> {
  const { data, error } = await (id === ''
    ? rest.rpc('newest_bookings', { most: 1 }).select(COLUMNS)
    : rest.from('bookings').select(COLUMNS).eq('id', id));
  if (error) throw error;
  const [booking] = rowsWith(data, ...REQUIRED).map(parseRow);
  return booking === undefined ? null : { ...booking, storedStart: data[0]?.start_time ?? '' };
}
