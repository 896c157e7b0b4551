import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { passwordChangeSchema } from '#rules/people.ts';
import { describeError, errorCode, titleOfPassword } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { setPassword, verifyLink } from './queries.ts';

/** Sets a new password from the mailed link. Acts only when the button is pressed, because mail scanners open links. */
export function NewPasswordForm({
  tokenHash,
  invited = false,
  signedIn,
  onDone,
  onAskAgain,
}: {
  /** The token from the link, or null. */
  tokenHash: string | null;
  /** Whether the link is an invitation to a new account. */
  invited?: boolean;
  signedIn: boolean;
  onDone: () => void;
  onAskAgain: () => void;
}) {
  const form = useSchemaForm(passwordChangeSchema, { defaultValues: { password: '', confirm: '' } });
  const { control } = form;
  const [proven, setProven] = useState(false);
  const send = useMutation({
    mutationFn: async ({ password }: { password: string }) => {
      // The link works only once. After it has been used, another try with a new password skips it.
      if (!proven && tokenHash !== null) await verifyLink(tokenHash, invited ? 'invite' : 'recovery');
      setProven(true);
      await setPassword(password);
    },
    meta: { handled: true },
    onSuccess: () => {
      toast({ title: 'Password updated', description: 'You are signed in with your new password.' });
      onDone();
    },
    onError: (error) => {
      const message = describeError(error, 'Failed to update password. Please try again.');
      refuseForm(form, { title: 'Error', message, field: 'confirm' });
    },
  });
  const expired = errorCode(send.error) === 'otp_expired';
  if (expired || (tokenHash === null && !signedIn)) return <LinkExpired onAskAgain={onAskAgain} />;
  const look = { type: 'password', autoComplete: 'new-password', required: true } as const;
  return (
    <Form form={form} onSend={send.mutateAsync} getTitle={titleOfPassword} className="space-y-4">
      <TextField {...look} control={control} name="password" label="New password" hint="At least 6 characters" />
      <TextField {...look} control={control} name="confirm" label="Confirm new password" />
      <SubmitButton control={control} className="w-full">
        Set new password
      </SubmitButton>
    </Form>
  );
}

function LinkExpired({ onAskAgain }: { onAskAgain: () => void }) {
  return (
    <div className="space-y-4">
      <Notice tone="bad">
        <p>This link has expired or has already been used. Ask for a new one under &ldquo;Forgot password?&rdquo;.</p>
      </Notice>
      <Button onClick={onAskAgain}>Ask for a new link</Button>
    </div>
  );
}
