import { studioDate } from '#rules/studio-time.ts';
import { saveTyped, readTyped } from '#web/lib/drafts.ts';
import { useFormDraft } from '#web/lib/use-form-draft.ts';
import { useNow } from '#web/lib/use-now.ts';
import { type SchemaForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { type CheckedSignUp, nothingTyped, signUpFormSchema, type TypedSignUp } from './sign-up-schema.ts';

/** The key under which the typed values are kept. */
export const SIGN_UP_DRAFT = 'sign-up';

/** Creates the state of the sign-up form. It survives a switch to another tab of the dialog and, except for the password, a reload of the page. */
export function useSignUpForm(): SchemaForm<TypedSignUp, CheckedSignUp> {
  const today = studioDate(useNow(60_000));
  const form = useSchemaForm(signUpFormSchema(today), {
    defaultValues: readTyped(SIGN_UP_DRAFT, nothingTyped) ?? nothingTyped,
  });
  useFormDraft(form, (values) => saveTyped(SIGN_UP_DRAFT, { ...values, password: '' }));
  return form;
}
