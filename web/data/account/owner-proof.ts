import { errorCode, findRefusal, type RefusalActions } from '#web/lib/errors.ts';
import { fetchClient } from '../fetch-client.ts';

/** What a person gives to show that the account is theirs, when the server asks; '' where not asked. */
export type OwnerProof = { readonly currentPassword: string; readonly nonce: string };

/** A proof as functions take it. */
export const proofBody = ({ currentPassword, nonce }: OwnerProof) => ({
  currentPassword: currentPassword === '' ? null : currentPassword,
  nonce: nonce === '' ? null : nonce,
});

/** What is wrong with the proof of a refused change: no password or a wrong one, or a wrong code. */
type ProofProblem = 'missing' | 'wrong' | 'code';
/** The account API refuses with the same codes. */
const PROOF_PROBLEMS: RefusalActions<'delete-account' | 'remove-phone', ProofProblem> = {
  current_password_required: 'missing',
  current_password_invalid: 'wrong',
  reauthentication_not_valid: 'code',
  second_factor_required: null,
  mail_unconfirmed: null,
  bookings_ahead: null,
  staff_account: null,
  not_found: null,
  not_yours: null,
  not_signed_in: null,
  invalid_request: null,
  too_many_requests: null,
  provider_unavailable: null,
};

/** The field of a form at which each problem with the proof is shown. */
export const PROOF_FIELDS = { missing: 'currentPassword', wrong: 'currentPassword', code: 'nonce' } as const;

/** Returns what is wrong with the proof of a refused change; null if it failed for another reason. */
export function findProofProblem(error: unknown): ProofProblem | null {
  return errorCode(error) === 'reauthentication_needed' ? 'missing' : findRefusal(error, PROOF_PROBLEMS);
}

/** Returns whether a refused change needs the current password (`missing`), had a wrong one, or failed for another reason (null). */
export function passwordWanted(error: unknown): 'missing' | 'wrong' | null {
  const problem = findProofProblem(error);
  return problem === 'code' ? null : problem;
}

/** Mails a code that proves the account instead of the password. */
export async function mailProofCode(): Promise<void> {
  const { error } = await (await fetchClient()).auth.reauthenticate();
  if (error) throw error;
}
