import type { SupabaseClient } from '@supabase/supabase-js';
import type { CallName, ContractFor } from '#contracts/call-types.ts';
import type { Sent } from '#contracts/core/define-call.ts';
import { AppError, FAILED, OFFLINE, readFailure } from '#web/lib/errors.ts';

/** The body that a function takes. */
export type CallBody<Name extends CallName> = Sent<ContractFor<Name>['body']['_zod']['input']>;

/** The answer of a function: JSON, or a file in the form in which the client returns it. */
export type CallAnswer<Name extends CallName> =
  | ContractFor<Name>['answer']['_zod']['output']
  | (ContractFor<Name> extends { readonly files: readonly (infer Type)[] } ? FileContent<Type> : never);

/** The type in which supabase-js returns a file: PDF files and unknown bytes as a Blob, JSON as its parsed value, every other file as text. */
type FileContent<Type> = Type extends 'application/pdf' | 'application/octet-stream'
  ? Blob
  : Type extends `application/json${string}`
    ? unknown
    : string;

/** Fetches the client for accounts, functions and live changes. It is large, so pages fetch it only when they need one of these. */
export const fetchClient = async (): Promise<SupabaseClient> => (await import('./client.ts')).supabase;

/** Calls a server function with the types of its contract. Throws `AppError`. */
export async function callFunction<Name extends CallName>(name: Name, body: CallBody<Name>): Promise<CallAnswer<Name>> {
  const client = await fetchClient().catch(() => null);
  if (client === null) throw new AppError('offline', OFFLINE, 0);
  const { data, error } = await client.functions.invoke<CallAnswer<Name>>(name, { body });
  if (error === null && data !== null) return data;
  throw await describeFailure(error);
}

async function describeFailure(error: unknown): Promise<AppError> {
  if (error instanceof Error && 'context' in error && error.context instanceof Response)
    return readFailure(error.context);
  // The error is recognised by its name, because its class is part of the client, which is fetched later.
  const offline = error instanceof Error && error.name === 'FunctionsFetchError';
  return offline ? new AppError('offline', OFFLINE, 0) : new AppError('unknown', FAILED, 0);
}

/** Saves the CSV file that a function returned, under the given name. */
export function saveCsv(csv: string, name: string): void {
  saveFile(csv, name, 'text/csv');
}

/** Saves a text, or bytes, as a file of this type. */
export function saveFile(text: string | Blob, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/** Shows a text of this type in a tab that is already open for it. */
export function showFile(text: string | Blob, tab: Window, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  tab.location.replace(url);
  tab.addEventListener('load', () => URL.revokeObjectURL(url), { once: true });
}
