import { useMutation, useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { queryKeys } from '#web/data/query-keys.ts';
import { useTexts } from '#web/data/texts.ts';
import { TermsText } from '#web/lib/business/terms-text.tsx';
import { describeError, isRefused } from '#web/lib/errors.ts';
import { CheckField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Loaded } from '#web/ui/progress.tsx';
import { joinCrew } from './queries.ts';

const schema = z.object({
  name: z.string().trim().min(1, 'What should we call you?').max(40, 'At most 40 characters.'),
  accepted: z.literal(true, 'Please accept the studio rules.'),
});

/** Shows the rules of the studio, which the guest accepts with a first name. */
export function JoinForm({ token, host }: { token: string; host: string }) {
  const client = useQueryClient();
  const texts = useTexts();
  const form = useSchemaForm(schema, { defaultValues: { name: '', accepted: false } });
  const version = texts.data?.termsVersion;
  const join = useMutation({
    mutationFn: ({ name }: { name: string }) => joinCrew(token, name, version ?? ''),
    meta: { handled: true, invalidates: [] },
    onSuccess: (page) => client.setQueryData(queryKeys.guestPage.of(token), page),
    onError: (error) => {
      if (isRefused<'crew-join'>(error, 'terms_required'))
        void client.invalidateQueries({ queryKey: queryKeys.texts.all });
      refuseForm(form, { message: describeError(error, 'That didn’t work. Check your connection and try again.') });
    },
  });
  return (
    <section aria-labelledby="rules">
      <h2 id="rules" className="text-2xl">
        Studio rules
      </h2>
      <div className="mt-4">
        <Loaded query={texts} what="the rules" skeleton="h-64">
          {(shown) => (
            <>
              <div
                // Focusable, so that the keyboard can scroll it.
                // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
                tabIndex={0}
                role="region"
                aria-label="Studio rules and terms"
                className="max-h-[45dvh] space-y-4 overflow-y-auto border border-line bg-night p-4"
              >
                <TermsText {...shown} />
              </div>
              <Form form={form} onSend={(typed) => join.mutateAsync(typed)} className="mt-6 space-y-4">
                <TextField
                  control={form.control}
                  name="name"
                  label="Your first name"
                  maxLength={40}
                  autoComplete="given-name"
                />
                <CheckField control={form.control} name="accepted">
                  I have read and accept the studio rules
                </CheckField>
                <FormError control={form.control} />
                <SubmitButton control={form.control} className="max-sm:w-full">
                  Count me in
                </SubmitButton>
              </Form>
              <p className="mt-4 max-w-prose text-sm text-dust">
                {host === '' ? 'Your host' : host} and our team see your first name. We delete it 30 days after the
                session.
              </p>
            </>
          )}
        </Loaded>
      </div>
    </section>
  );
}
