import { useMutation } from '@tanstack/react-query';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Notice } from '#web/ui/notice.tsx';
import { describeJoin, joinList, LAUNCH, NEWS_DONE } from './queries.ts';

/** The schema is fetched when the form is sent: the page is smaller without it, and most visitors never send the form. */
const schema = async () => (await import('./notify-schema.ts')).notifySchema;

/** Adds an address to the mailing list. `about`: the topic of its mails, which is the opening or, for an open business, its news. */
export function NotifyForm({ about = 'the opening' }: { about?: 'the opening' | 'our news' }) {
  // The form has no initial value, so that text typed before the script loaded is kept.
  const form = useSchemaForm(schema, {});
  const { control } = form;
  const join = useMutation({
    mutationFn: ({ email }: { email: string }) => joinList(email),
    meta: { handled: true },
    onSuccess: () => form.reset({ email: '' }),
  });
  return (
    // The browser validates the address first.
    <Form form={form} onSend={join.mutateAsync} getTitle={() => null} noValidate={false} className="max-w-md">
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          control={control}
          label="Email"
          name="email"
          type="email"
          required
          maxLength={255}
          autoComplete="email"
          placeholder="you@example.com"
          className="min-w-0 grow basis-56"
        />
        <SubmitButton control={control}>Notify Me</SubmitButton>
      </div>
      <p className="mt-3 text-sm text-fog">
        By signing up you agree to get emails from us about {about}. Every email has a link to unsubscribe. See{' '}
        <Link to={paths.privacy} className="underline decoration-edge underline-offset-4 hover:text-chalk">
          Privacy
        </Link>
        .
      </p>
      {join.isSuccess || join.isError ? (
        <div className="mt-4">
          <Notice tone={join.isSuccess ? 'good' : 'bad'}>
            {join.isSuccess ? (about === 'our news' ? NEWS_DONE : LAUNCH.done) : describeJoin(join.error)}
          </Notice>
        </div>
      ) : null}
    </Form>
  );
}
