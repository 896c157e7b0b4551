import { useQuery } from '@tanstack/react-query';
import { supabase } from '#web/data/client.ts';
import type { CallAnswer } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { apiUrl, publicKey } from '#web/data/server.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { AppError, OFFLINE, readFailure } from '#web/lib/errors.ts';

export type Access = CallAnswer<'regenerate-pin'>;

/** An answer of `regenerate-pin`. Its own refusals have a special format; earlier refusals, such as those of a busy server, have the usual one. */
type Answer = (Access | { readonly success: false }) & { readonly error?: string | object; readonly code?: string };

/** Reads the access code (`GET`) or makes a new one (`POST`). `token` comes from the mailed link. Throws `AppError`. */
export async function requestAccess(method: 'GET' | 'POST', bookingId: string, token: string | null): Promise<Access> {
  const { data } = await supabase.auth.getSession();
  const query = new URLSearchParams({ booking_id: bookingId, ...(token === null ? {} : { token }) });
  const response = await fetch(`${apiUrl}/functions/v1/regenerate-pin?${query}`, {
    method,
    headers: { apikey: publicKey, authorization: `Bearer ${data.session?.access_token ?? publicKey}` },
  }).catch(() => {
    throw new AppError('offline', OFFLINE, 0);
  });
  const copy = response.clone();
  const body: Answer | null = await response.json().catch(() => null);
  if (typeof body?.error === 'object') throw await readFailure(copy);
  if (body === null) throw new AppError('unknown', 'Failed to generate new PIN.', response.status);
  if (!response.ok || !body.success)
    throw new AppError(body.code ?? 'unknown', body.error ?? 'Failed to generate new PIN.', response.status, {
      ...body,
    });
  return body;
}

/** Finds the customer's current or next booking; null if there is none. */
async function readNextBookingId(userId: string): Promise<string | null> {
  const { data, error } = await rest
    .from('bookings')
    .select('id')
    .eq('status', 'confirmed')
    .eq('user_id', userId) // staff can read everyone's bookings
    .gt('end_time', new Date().toISOString())
    .order('start_time')
    .limit(1);
  if (error) throw error;
  return data[0]?.id ?? null;
}

/** Queries the customer's current or next booking. */
export function useNextBookingId(userId: string | null, enabled: boolean) {
  return useQuery({
    queryKey: queryKeys.nextBooking.of(userId),
    queryFn: () => readNextBookingId(userId ?? ''),
    enabled: enabled && userId !== null,
  });
}
