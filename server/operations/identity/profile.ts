import type { Transaction, Queryable } from '#server/db/database.ts';
import { Refusal } from '../core/refusal.ts';

/** The part of a profile that a licence is compared with. `dateOfBirth`: 'YYYY-MM-DD'. */
export type Profile = { readonly fullName: string; readonly dateOfBirth: string | null };

type ProfileRow = { readonly fullName: string | null; readonly dateOfBirth: string | null };

const PROFILE = `select full_name as "fullName", date_of_birth as "dateOfBirth" from public.profiles where user_id = $1::uuid`;

/** Reads the profile of an account. Throws `Refusal('invalid_request')` if it has no name. */
export async function requireProfile(db: Queryable, userId: string): Promise<Profile> {
  const profile = await db.queryRow<ProfileRow>(PROFILE, [userId]);
  if (!profile?.fullName) throw new Refusal('invalid_request', 'Please add your name to your profile first.');
  return { fullName: profile.fullName, dateOfBirth: profile.dateOfBirth };
}

/** Locks the profile until the transaction ends and returns it; null if there is none. */
export async function lockProfile(tx: Transaction, userId: string): Promise<Profile | null> {
  const row = await tx.queryRow<ProfileRow>(`${PROFILE} for update`, [userId]);
  return row && { fullName: row.fullName ?? '', dateOfBirth: row.dateOfBirth };
}

/** Locks the profile until the transaction ends. Returns false if its name or birth date differs from `expected`. */
export async function lockUnchangedProfile(tx: Transaction, userId: string, expected: Profile): Promise<boolean> {
  const current = await lockProfile(tx, userId);
  return current?.fullName === expected.fullName && current.dateOfBirth === expected.dateOfBirth;
}
