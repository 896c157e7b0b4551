import { z } from 'zod';
import { isAdult, signUpSchema } from '#rules/people.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import { noDate, typedDateSchema } from '#web/lib/birth-date.ts';

const NO_DATE = 'Please enter your date of birth.';
const TOO_YOUNG = 'You must be 18 years or older to create an account.';

/** The schema of the sign-up form on a given day: the rules of a sign-up, with the date of birth as typed. */
export const signUpFormSchema = (today: StudioDate) =>
  signUpSchema.omit({ dateOfBirth: true }).extend({
    birth: typedDateSchema.pipe(
      z
        .string()
        .min(1, NO_DATE)
        .refine((born) => isAdult(born, today), TOO_YOUNG),
    ),
  });

export type TypedSignUp = z.input<ReturnType<typeof signUpFormSchema>>;
export type CheckedSignUp = z.output<ReturnType<typeof signUpFormSchema>>;

export const nothingTyped = {
  fullName: '',
  email: '',
  phone: '',
  djName: '',
  password: '',
  birth: noDate,
} satisfies TypedSignUp;

/** Returns the title of the toast for an invalid field. */
export function titleOfSignUp(field: string, message: string): string {
  if (field !== 'birth') return 'Validation Error';
  return message === NO_DATE ? 'Date of Birth Required' : 'Age Requirement';
}
