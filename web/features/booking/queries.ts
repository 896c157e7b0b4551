import type { Busy } from '#rules/slots.ts';
import { addDays, dayBounds, type StudioDate } from '#rules/studio-time.ts';
import type { BookingDraft } from '#web/lib/drafts.ts';
import { callFunction, supabase } from '#web/lib/supabase.ts';

export type Studio = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly features: readonly string[];
  readonly hourly_rate: number;
};
/** Hours that are gone, and whether somebody is paying for them right now. */
export type Taken = Busy & { readonly status: string };

export async function readStudios(): Promise<Studio[]> {
  const { data, error } = await supabase.from('studios').select('*').order('name');
  if (error) throw error;
  return data;
}

/** A session is at most 24 labels long, 25 hours on the day the clocks go back. */
const LONGEST_MS = 25 * 3_600_000;

/** What overlaps the chosen day and the next (decisions T-02); the lower bound on the start lets the database use its index. */
export async function readTaken(studioId: string, date: StudioDate): Promise<Taken[]> {
  const from = dayBounds(date).start;
  const to = dayBounds(addDays(date, 1)).end;
  const { data, error } = await supabase
    .from('bookings')
    .select('studio_id,start_time,end_time,status')
    .eq('studio_id', studioId)
    .neq('status', 'cancelled')
    .gte('start_time', new Date(from.getTime() - LONGEST_MS).toISOString())
    .lt('start_time', to.toISOString())
    .gt('end_time', from.toISOString());
  if (error) throw error;
  return data.map((row: { start_time: string; end_time: string; status: string }) => ({
    start: new Date(row.start_time),
    end: new Date(row.end_time),
    status: row.status,
  }));
}

export type Standing = { readonly verified: boolean; readonly termsAccepted: boolean };

/** What of the way to a booking somebody has behind them already. */
export async function readStanding(userId: string, termsVersion: string): Promise<Standing> {
  const [verified, terms] = await Promise.all([
    supabase.from('user_verifications').select('id').eq('user_id', userId).limit(1),
    supabase.from('terms_acceptances').select('version').eq('user_id', userId).eq('version', termsVersion).limit(1),
  ]);
  if (verified.error) throw verified.error;
  if (terms.error) throw terms.error;
  return { verified: verified.data.length > 0, termsAccepted: terms.data.length > 0 };
}

/** Straight to payment, for who has shown an ID and accepted the terms. */
export function createPayment(draft: BookingDraft): Promise<{ url: string; bookingId: string }> {
  return callFunction('create-payment', { bookingData: draft, customerData: {} });
}

/** The draft also lies with the server, for another tab or phone (decisions T-48). A cache: failing to write it stops nothing. */
export async function keepDraft(draft: BookingDraft): Promise<void> {
  await supabase.from('booking_drafts').upsert({ data: draft });
}
