import { testMailSchedule } from '#rules/access.ts';
import { errorCode } from '#web/lib/errors.ts';
import { callFunction, supabase } from '#web/data/client.ts';

export type TestBooking = {
  readonly id: string;
  readonly reference: string;
  readonly studio_name: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly status: 'pending' | 'confirmed' | 'cancelled';
};
export type PinData = {
  readonly pin: string;
  readonly pinId: string | null;
  readonly deviceId: string;
  readonly startTime: string;
  readonly endTime: string;
};
/** What a trial of an outside system came to; `error` is its reason when it did not. */
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
  readonly bookings: { readonly start_time: string; readonly studios: { readonly name: string } | null } | null;
};

/** How many codes the list shows (spec section 9). */
const CODES_SHOWN = 10;
/** AUD dollars a test booking says it cost; nothing is charged (spec section 9). */
const TEST_COST = 100;
const HOUR_MS = 3_600_000;
const COLUMNS = 'id,reference,studio_name,start_time,end_time,status';

type TrialName = 'test-igloohome-config' | 'test-igloohome-oauth' | 'test-igloohome-pin' | 'test-smart-plug';
export function runTrial(name: TrialName): Promise<Trial> {
  return callFunction<Trial>(name, {});
}
export function switchPower(on: boolean): Promise<{ success: boolean; message: string }> {
  return callFunction('manual-power-control', { action: on ? 'turn_on' : 'turn_off' });
}
export function processMails(): Promise<{ processed: number }> {
  return callFunction('process-scheduled-emails', {});
}
export function generateCode(
  bookingId: string,
): Promise<{ pinCode: string | null; releaseAt: string; worksFrom: string; worksUntil: string }> {
  return callFunction('generate-access-code', { bookingId });
}

/** Somebody's test bookings that are not over yet, the next one first. */
export async function readTestBookings(userId: string): Promise<TestBooking[]> {
  const { data, error } = await supabase
    .from('bookings')
    .select(COLUMNS)
    .eq('user_id', userId)
    .eq('notes', 'test')
    .eq('status', 'confirmed')
    .gt('end_time', new Date().toISOString())
    .order('start_time')
    .overrideTypes<TestBooking[], { merge: false }>();
  if (error) throw error;
  return data;
}

/** Books an hour that begins so many minutes from now, in the first room that is free then. Throws when none is. */
export async function makeTestBooking(minutesAhead: number): Promise<TestBooking> {
  const studios = await supabase.from('studios').select('id').order('name');
  if (studios.error) throw studios.error;
  const start = Date.now() + minutesAhead * 60_000;
  for (const studio of studios.data) {
    const { data, error } = await supabase
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
      .single()
      .overrideTypes<TestBooking, { merge: false }>();
    if (data) return data;
    if (errorCode(error) !== '23P01') throw error;
  }
  throw new Error('Every studio is taken then. End a test booking first.');
}
/** Ends a test booking: its hour is free again and the lock forgets its code. */
export async function endTestBooking(id: string): Promise<void> {
  const { data, error } = await supabase.from('bookings').update({ status: 'cancelled' }).eq('id', id).select('id');
  if (error) throw error;
  if (data.length !== 1) throw new Error('The test booking was not ended.');
}

/** Asks for the code mail of a booking: at once, or when it is due. Answers when that is; the server decides to whom it goes. */
export async function scheduleMail(booking: TestBooking, email: string, when: 'now' | 'due'): Promise<Date> {
  const now = new Date();
  const due = when === 'now' ? null : testMailSchedule(new Date(booking.start_time), now);
  const { error } = await supabase.from('scheduled_emails').insert({
    booking_id: booking.id,
    recipient_email: email,
    email_type: 'access_code',
    status: due?.status ?? 'pending_immediate',
    scheduled_for: (due?.at ?? now).toISOString(),
  });
  if (error) throw error;
  return due?.at ?? now;
}

/** The newest door codes, without their digits. */
export async function readAccessCodes(): Promise<AccessCodeRow[]> {
  const { data, error } = await supabase
    .from('booking_access_codes')
    .select('*, bookings(start_time, end_time, studios(name))')
    .order('created_at', { ascending: false })
    .limit(CODES_SHOWN)
    .overrideTypes<AccessCodeRow[], { merge: false }>();
  if (error) throw error;
  return data;
}

/** Any booking staff may see; the newest one without an id. Null when there is none. */
export async function readBooking(id: string): Promise<TestBooking | null> {
  const all = supabase.from('bookings').select(COLUMNS);
  const { data, error } = await (id === '' ? all : all.eq('id', id))
    .order('created_at', { ascending: false })
    .limit(1)
    .overrideTypes<TestBooking[], { merge: false }>();
  if (error) throw error;
  return data[0] ?? null;
}
