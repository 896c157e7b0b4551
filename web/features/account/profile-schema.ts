import { type IdNames, matchNames } from '#rules/identity.ts';
import { z } from 'zod';
import { isAdult, isPlain, NOT_PLAIN, profileSchema } from '#rules/people.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import type { Profile } from '#web/data/profile.ts';
import { noDate, partsOf, typedDateSchema } from '#web/lib/birth-date.ts';

const TOO_YOUNG = 'You must be 18 years or older.';

/** The profile form on a day. The date of birth may be empty; the current password is asked for only when the server wants it. */
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
  });

export type TypedProfile = z.input<ReturnType<typeof profileFormSchema>>;
export type CheckedProfile = z.output<ReturnType<typeof profileFormSchema>>;

/** Returns the title of the toast for an invalid field. */
export const titleOfProfile = (_field: string, message: string): string =>
  message === TOO_YOUNG ? 'Age Requirement' : 'Validation Error';

/** Returns the form as it starts from the stored profile. */
export function typedProfileOf(saved: Profile): TypedProfile {
  return {
    fullName: saved.full_name ?? '',
    email: saved.email ?? '',
    phone: saved.phone ?? '',
    birth: saved.date_of_birth === null ? noDate : partsOf(saved.date_of_birth),
    djName: saved.dj_name ?? '',
    currentPassword: '',
  };
}

/** What a change of the profile does to a verified ID: nothing (null), or it ends for another birth date or a name that the ID does not have. */
export function endsVerification(
  saved: Profile,
  typed: { readonly fullName: string; readonly dateOfBirth: string },
  onId: IdNames,
): 'birth' | 'name' | null {
  if (typed.dateOfBirth !== (saved.date_of_birth ?? '')) return 'birth';
  const sameName = typed.fullName.trim().toLowerCase() === (saved.full_name ?? '').toLowerCase();
  return sameName || matchNames(onId, typed.fullName).status === 'match' ? null : 'name';
}
