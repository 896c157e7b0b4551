import { findHidden } from '#rules/people.ts';
import { refuse } from '../core/errors.ts';

const METADATA_BYTES = 16_384;

/**
 * Checks new user metadata. Throws if it is too large together with the `existing` data, or if it contains invisible characters. Users
 * write the metadata themselves, so its content is never trusted.
 */
export function checkMetadata(data: Record<string, unknown>, existing: Record<string, unknown> = {}): void {
  if (findHidden(data) !== null) throw refuse.validation('User metadata has characters that cannot be seen');
  // PostgreSQL prints jsonb with a space after each comma and colon, and the check constraint counts those spaces.
  const text = JSON.stringify({ ...existing, ...data });
  const blanks = (text.match(/[,:]/g) ?? []).length;
  if (Buffer.byteLength(text) + blanks > METADATA_BYTES) throw refuse.validation('User metadata is too large');
}

/** Removes the keys whose value is null or undefined: as in Supabase Auth, null removes a key. */
export function withoutNulls(data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null && value !== undefined));
}
