import { errorCode } from '#web/lib/errors.ts';
import { fetchClient } from '../fetch-client.ts';

/** What a person gives to show that the account is theirs, when the server asks; '' where not asked. */
export type OwnerProof = { readonly currentPassword: string; readonly nonce: string };

/** A proof as functions take it. */
export const proofBody = ({ currentPassword, nonce }: OwnerProof) => ({
  currentPassword: currentPassword === '' ? null : currentPassword,
  nonce: nonce === '' ? null : nonce,
});

/** Returns whether a refused change needs the current password (`missing`), had a wrong one, or failed for another reason (null). */
export function passwordWanted(error: unknown): 'missing' | 'wrong' | null {
  const code = errorCode(error);
  if (code === 'current_password_required' || code === 'reauthentication_needed') return 'missing';
  return code === 'current_password_invalid' ? 'wrong' : null;
}

/** Mails a code that proves the account instead of the password. */
export async function mailProofCode(): Promise<void> {
  const { error } = await (await fetchClient()).auth.reauthenticate();
  if (error) throw error;
}
