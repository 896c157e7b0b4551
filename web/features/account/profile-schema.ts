import { type IdNames, matchNames } from '#rules/identity.ts';
import { z } from 'zod';
import { isAdult, isPlain, NOT_PLAIN, profileSchema } from '#rules/people.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import type { Profile } from '#web/data/profile.ts';
import { noDate, toDateParts, typedDateSchema } from '#web/lib/birth-date.ts';

const TOO_YOUNG = 'You must be 18 years or older.';

/**
 * The schema of the profile form on a given day. The date of birth may be empty. The form asks for the current password and the code only
 * when the server requires reauthentication.
 */
export const profileFormSchema = (today: StudioDate) =>
  profileSchema.extend({
    birth: z.custom<z.input<typeof typedDateSchema>>().transform((parts, context) => {
      const born = typedDateSchema.parse(parts);
      const empty = Object.values(parts).every((part) => part === '');
      if (born === '' && !empty) context.addIssue('Please enter your date of birth as day, month and year.');
      if (born !== '' && !isAdult(born, today)) context.addIssue(TOO_YOUNG);
      return born === '' ? null : born;
    }),
    djName: z.string().trim().refine(isPlain, NOT_PLAIN),
    currentPassword: z.string(),
    nonce: z.string(),
  });

export type TypedProfile = z.input<ReturnType<typeof profileFormSchema>>;
export type CheckedProfile = z.output<ReturnType<typeof profileFormSchema>>;

/** Returns the title of the toast for an invalid field. */
export const titleOfProfile = (_field: string, message: string): string =>
  message === TOO_YOUNG ? 'Age Requirement' : 'Validation Error';

/** Converts the stored profile to the initial values of the form. */
export function toTypedProfile(saved: Profile): TypedProfile {
  return {
    fullName: saved.full_name ?? '',
    email: saved.email ?? '',
    phone: saved.phone ?? '',
    birth: saved.date_of_birth === null ? noDate : toDateParts(saved.date_of_birth),
    djName: saved.dj_name ?? '',
    currentPassword: '',
    nonce: '',
  };
}

/**
 * Returns why a change of the profile ends the verification of the ID: another birth date, or a name that the ID does not have. Null if the
 * verification stays valid.
 */
export function endsVerification(
  saved: Profile,
  typed: { readonly fullName: string; readonly dateOfBirth: string },
  onId: IdNames,
): 'birth' | 'name' | null {
  if (typed.dateOfBirth !== (saved.date_of_birth ?? '')) return 'birth';
  const sameName = typed.fullName.trim().toLowerCase() === (saved.full_name ?? '').toLowerCase();
  return sameName || matchNames(onId, typed.fullName).status === 'match' ? null : 'name';
}
