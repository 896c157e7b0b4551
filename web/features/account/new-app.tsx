import { useMutation } from '@tanstack/react-query';
import { z } from 'zod';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError, errorCode, UNEXPECTED } from '#web/lib/errors.ts';
import { CodeField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { confirmAuthenticatorApp, type NewAuthenticatorApp } from './queries.ts';

const schema = z.object({ code: z.string().regex(/^\d{6}$/, 'The code has 6 digits.') });

/** Adds an authenticator app: shows its QR code and asks for the app's first code. */
export function NewApp({
  app,
  onCancel,
  onDone,
}: {
  app: NewAuthenticatorApp;
  onCancel: () => void;
  onDone: () => void;
}) {
  const form = useSchemaForm(schema, { defaultValues: { code: '' } });
  const confirm = useMutation({
    mutationFn: ({ code }: { code: string }) => confirmAuthenticatorApp(app.id, code),
    meta: { handled: true, invalidates: [queryKeys.authenticatorApps.all, queryKeys.sessions.all] },
    onSuccess: onDone,
    onError: (error) => {
      form.setValue('code', '');
      const mistyped = errorCode(error) === 'mfa_verification_failed';
      const message = mistyped
        ? 'That code isn’t right. Type the code that your app shows now.'
        : describeError(error, UNEXPECTED);
      refuseForm(form, { message, field: 'code' });
    },
  });
  return (
    <Form form={form} onSend={confirm.mutateAsync} getTitle={() => null} className="space-y-5">
      <p className="max-w-prose text-fog">
        Scan this with an authenticator app on your phone, such as the one your phone came with. Then type the code it
        shows.
      </p>
      <AppKey app={app} />
      <CodeField control={form.control} name="code" label="6-digit code" digits={6} />
      <FormEnd control={form.control} onLeave={onCancel}>
        Turn on
      </FormEnd>
    </Form>
  );
}

/** The key of an app, as a QR code and as text. */
function AppKey({ app }: { app: NewAuthenticatorApp }) {
  return (
    <div className="flex flex-wrap items-start gap-6">
      <img
        src={`data:image/svg+xml,${encodeURIComponent(app.qrCode)}`}
        alt="QR code for your authenticator app"
        width={208}
        height={208}
        className="size-52 bg-white"
      />
      <div className="min-w-0 flex-1 basis-56 space-y-1.5">
        <p className="text-sm font-semibold" id="second-step-key">
          Or type this key into the app
        </p>
        <p aria-labelledby="second-step-key" className="font-mono text-sm break-all text-fog select-all">
          {app.secret.replace(/(.{4})(?=.)/g, '$1 ')}
        </p>
      </div>
    </div>
  );
}
