import type { SupabaseClient } from '@supabase/supabase-js';
import { AppError, FAILED, OFFLINE, readFailure } from '#web/lib/errors.ts';

/** Fetches the client for accounts, functions and live changes. It is large, so pages fetch it only when they need one of these. */
export const fetchClient = async (): Promise<SupabaseClient> => (await import('./client.ts')).supabase;

/** Calls a server function. Throws `AppError`. */
export async function callFunction<T>(name: string, body: Record<string, unknown>): Promise<T> {
  const client = await fetchClient().catch(() => null);
  if (client === null) throw new AppError('offline', OFFLINE, 0);
  const { data, error } = await client.functions.invoke<T>(name, { body });
  if (error === null && data !== null) return data;
  throw await describeFailure(error);
}

async function describeFailure(error: unknown): Promise<AppError> {
  if (error instanceof Error && 'context' in error && error.context instanceof Response)
    return readFailure(error.context);
  // Compared by name: the class is in the client, which is fetched later.
  const offline = error instanceof Error && error.name === 'FunctionsFetchError';
  return offline ? new AppError('offline', OFFLINE, 0) : new AppError('unknown', FAILED, 0);
}

/** Saves a CSV file that a function answered with under this name. */
export function saveCsv(csv: string, name: string): void {
  saveFile(csv, name, 'text/csv');
}

/** Saves a text, or bytes, as a file of this type. */
export function saveFile(text: string | Blob, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/** Shows a text of this type in a tab that was opened for it. */
export function showFile(text: string | Blob, tab: Window, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  tab.location.replace(url);
  tab.addEventListener('load', () => URL.revokeObjectURL(url), { once: true });
}
