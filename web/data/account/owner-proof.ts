import { findRefusal, type RefusalActions } from '#web/lib/errors.ts';
import { fetchClient } from '../fetch-client.ts';

/** Proof that the account belongs to the person, for calls that require it. A field is '' if the form does not ask for it. */
export type OwnerProof = { readonly currentPassword: string; readonly nonce: string };

/** Converts a proof to the fields of a function's body. */
export const proofBody = ({ currentPassword, nonce }: OwnerProof) => ({
  currentPassword: currentPassword === '' ? null : currentPassword,
  nonce: nonce === '' ? null : nonce,
});

/** Why a change was refused because of its proof: the proof has no password, the account has no password, or the password or code is wrong. */
type ProofProblem = 'missing' | 'no password' | 'wrong' | 'code';
/** The account API uses the same codes. */
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

/** The form field at which each problem with the proof is shown; null for none. */
const PROOF_FIELDS = {
  missing: 'currentPassword',
  'no password': null,
  wrong: 'currentPassword',
  code: 'nonce',
} as const satisfies Record<ProofProblem, keyof OwnerProof | null>;

/**
 * What a form asks for after a refused change: the password or, for an account without one, the choice to receive a code. Null if it keeps
 * asking for the same.
 */
const ASKED = { missing: 'password', 'no password': 'choice', wrong: null, code: null } as const;

/** The proof that a form asks for. `choice`: the person can request a code or sign in again. */
export type AskedProof = 'none' | 'password' | 'choice' | 'code';

/**
 * Returns the field at which a form shows why a change was refused, and what it asks for next. Both are null if the refusal has nothing to
 * do with the proof.
 */
export function findProofStep(error: unknown): {
  readonly field: keyof OwnerProof | null;
  readonly asks: AskedProof | null;
} {
  const problem = findRefusal(error, PROOF_PROBLEMS);
  return problem === null ? { field: null, asks: null } : { field: PROOF_FIELDS[problem], asks: ASKED[problem] };
}

/** Mails a code that serves as proof instead of the password. */
export async function mailProofCode(): Promise<void> {
  const { error } = await (await fetchClient()).auth.reauthenticate();
  if (error) throw error;
}
