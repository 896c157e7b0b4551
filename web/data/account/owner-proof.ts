import { findRefusal, type RefusalActions } from '#web/lib/errors.ts';
import { fetchClient } from '../fetch-client.ts';

/** What a person gives to show that the account is theirs, when the server asks; '' where not asked. */
export type OwnerProof = { readonly currentPassword: string; readonly nonce: string };

/** A proof as functions take it. */
export const proofBody = ({ currentPassword, nonce }: OwnerProof) => ({
  currentPassword: currentPassword === '' ? null : currentPassword,
  nonce: nonce === '' ? null : nonce,
});

/** What is wrong with the proof of a refused change: it has no password, the account has none, or a password or code is wrong. */
type ProofProblem = 'missing' | 'no password' | 'wrong' | 'code';
/** The account API refuses with the same codes. */
const PROOF_PROBLEMS: RefusalActions<'delete-account' | 'remove-phone', ProofProblem> = {
  current_password_required: 'missing',
  current_password_invalid: 'wrong',
  reauthentication_needed: 'no password',
  reauthentication_not_valid: 'code',
  second_factor_required: null,
  mail_unconfirmed: null,
  bookings_ahead: null,
  staff_account: null,
  not_found: null,
  not_signed_in: null,
  invalid_request: null,
  too_many_requests: null,
  provider_unavailable: null,
};

/** The field of a form at which each problem with the proof is shown; null: at none. */
const PROOF_FIELDS = {
  missing: 'currentPassword',
  'no password': null,
  wrong: 'currentPassword',
  code: 'nonce',
} as const satisfies Record<ProofProblem, keyof OwnerProof | null>;

/**
 * What a form asks for after a refused change: the password, or for an account without one whether it wants a code.
 * null: what it asked for before.
 */
const ASKED = { missing: 'password', 'no password': 'choice', wrong: null, code: null } as const;

/** What a form asks for as a proof. `choice`: a code can be ordered, or the person signs in again. */
export type AskedProof = 'none' | 'password' | 'choice' | 'code';

/** Returns how a form shows why a change was refused, and what it asks for next; nulls if that has nothing to do with the proof. */
export function findProofStep(error: unknown): {
  readonly field: keyof OwnerProof | null;
  readonly asks: AskedProof | null;
} {
  const problem = findRefusal(error, PROOF_PROBLEMS);
  return problem === null ? { field: null, asks: null } : { field: PROOF_FIELDS[problem], asks: ASKED[problem] };
}

/** Returns whether a refused change needs the current password (`missing`), had a wrong one, or failed for another reason (null). */
export function passwordWanted(error: unknown): 'missing' | 'wrong' | null {
  const problem = findRefusal(error, PROOF_PROBLEMS);
  return problem === 'missing' || problem === 'wrong' ? problem : null;
}

/** Mails a code that proves the account instead of the password. */
export async function mailProofCode(): Promise<void> {
  const { error } = await (await fetchClient()).auth.reauthenticate();
  if (error) throw error;
}
